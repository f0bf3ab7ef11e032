package openstacksim

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// KeyPair is a public key of a user; its ID is its name.
type KeyPair struct {
	Name        string `json:"name"`
	PublicKey   string `json:"public_key"`
	Fingerprint string `json:"fingerprint"`
	UserID      string `json:"user_id"`
	Type        string `json:"type"`
}

func (k *KeyPair) ident() string { return k.Name }
func (k *KeyPair) owner() string { return "" }
func (k *KeyPair) label() string { return k.Name }

func (c *Cloud) keyPairRoutes() {
	s := c.compute.service
	c.on(s, "GET", "/os-keypairs", c.listKeyPairs)
	c.on(s, "POST", "/os-keypairs", c.importKeyPair)
	c.on(s, "GET", "/os-keypairs/{id}", c.showKeyPair)
	c.on(s, "DELETE", "/os-keypairs/{id}", c.deleteKeyPair)
}

func (c *Cloud) listKeyPairs(*request) (any, error) {
	list := []any{}
	for _, k := range c.compute.keypairs.rows {
		list = append(list, wrap("keypair", *k))
	}
	return wrap("keypairs", list), nil
}

func (c *Cloud) keyPair(q *request) (*KeyPair, error) {
	k, ok := c.compute.keypairs.get(q.id("id"))
	if !ok {
		return nil, refuse(http.StatusNotFound, "", "Keypair %s not found for user %s", q.id("id"), q.token.user.id)
	}
	return k, nil
}

func (c *Cloud) showKeyPair(q *request) (any, error) {
	k, err := c.keyPair(q)
	if err != nil {
		return nil, err
	}
	return wrap("keypair", *k), nil
}

// importKeyPair is nova/api/openstack/compute/keypairs.py, create. Keys are only
// taken in, not made: Nova itself makes none since 2.92.
func (c *Cloud) importKeyPair(q *request) (any, error) {
	var body struct {
		KeyPair struct {
			Name      string `json:"name"`
			PublicKey string `json:"public_key"`
			Type      string `json:"type"`
		} `json:"keypair"`
	}
	if err := json.Unmarshal(q.raw, &body); err != nil {
		return nil, badServer("Malformed request body")
	}
	want := body.KeyPair
	switch {
	case want.Name == "":
		return nil, badServer("Invalid input for field/attribute keypair. Value: {}. 'name' is a required property")
	case want.PublicKey == "":
		return nil, badServer("Invalid input for field/attribute keypair. Value: {}. 'public_key' is a required property")
	case want.Type != "" && want.Type != "ssh":
		return nil, refuse(http.StatusNotImplemented, "", "openstacksim has no key pairs of type %s", want.Type)
	}
	fingerprint, ok := fingerprintOf(want.PublicKey)
	if !ok {
		return nil, badServer("Keypair data is invalid: failed to generate fingerprint")
	}
	if _, exists := c.compute.keypairs.get(want.Name); exists {
		return nil, refuse(http.StatusConflict, "", "Key pair '%s' already exists.", want.Name)
	}
	k := c.compute.keypairs.add(&KeyPair{Name: want.Name, PublicKey: want.PublicKey, Fingerprint: fingerprint, UserID: q.token.user.id, Type: "ssh"})
	status := http.StatusOK
	if q.minor >= 2 {
		status = http.StatusCreated
	}
	return reply{status: status, body: wrap("keypair", *k)}, nil
}

// fingerprintOf is nova/crypto.py, generate_fingerprint: MD5 of the key.
func fingerprintOf(public string) (string, bool) {
	fields := strings.Fields(public)
	if len(fields) < 2 {
		return "", false
	}
	raw, err := base64.StdEncoding.DecodeString(fields[1])
	if err != nil || !strings.Contains(string(raw), fields[0]) { // the key begins with its type
		return "", false
	}
	sum := md5.Sum(raw)
	var pairs []string
	for _, b := range sum {
		pairs = append(pairs, fmt.Sprintf("%02x", b))
	}
	return strings.Join(pairs, ":"), true
}

func (c *Cloud) deleteKeyPair(q *request) (any, error) {
	k, err := c.keyPair(q)
	if err != nil {
		return nil, err
	}
	c.compute.keypairs.drop(k.Name)
	status := http.StatusAccepted
	if q.minor >= 2 {
		status = http.StatusNoContent
	}
	return reply{status: status}, nil
}
