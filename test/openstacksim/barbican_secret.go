package openstacksim

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Secret is a Barbican secret.
type Secret struct {
	ID, Name, ProjectID, UserID string
	Type                        string // opaque, certificate, private, public, symmetric, passphrase
	Algorithm, Mode             string
	BitLength                   int
	ContentType                 string // empty until there is a payload
	Payload                     []byte
	Expiration                  time.Time // zero: never
	Created                     time.Time
	Metadata                    map[string]string
	Readers                     *ACL // nil: everybody in the project
}

func (s *Secret) ident() string { return s.ID }
func (s *Secret) owner() string { return s.ProjectID }
func (s *Secret) label() string { return s.Name }

// barbicanTime is how Barbican writes times.
const barbicanTime = "2006-01-02T15:04:05"

// shown is barbican/model/models.py, Secret._do_extra_dict_fields.
func (s *Secret) shown(c *Cloud) any {
	shown := map[string]any{"secret_ref": c.ref("secrets", s.ID), "name": orNil(s.Name), "secret_type": s.Type, "algorithm": orNil(s.Algorithm),
		"mode": orNil(s.Mode), "bit_length": nil, "creator_id": s.UserID, "expiration": nil, "status": "ACTIVE",
		"created": s.Created.UTC().Format(barbicanTime), "updated": s.Created.UTC().Format(barbicanTime)}
	if s.BitLength > 0 {
		shown["bit_length"] = s.BitLength
	}
	if !s.Expiration.IsZero() {
		shown["expiration"] = s.Expiration.UTC().Format(barbicanTime)
	}
	if s.ContentType != "" {
		shown["content_types"] = map[string]string{"default": s.ContentType}
	}
	return shown
}

var secretTypes = []string{"symmetric", "public", "private", "certificate", "passphrase", "opaque"}

// createSecret is barbican/api/controllers/secrets.py, on_post, with the checks
// of barbican/common/validators.py, NewSecretValidator.
func (c *Cloud) createSecret(q *request) (any, error) {
	var want struct {
		Name       string  `json:"name"`
		Type       string  `json:"secret_type"`
		Algorithm  string  `json:"algorithm"`
		Mode       string  `json:"mode"`
		BitLength  int     `json:"bit_length"`
		Expiration string  `json:"expiration"`
		Payload    *string `json:"payload"`
		Content    string  `json:"payload_content_type"`
		Encoding   string  `json:"payload_content_encoding"`
	}
	if err := json.Unmarshal(q.raw, &want); err != nil {
		return nil, refuse(http.StatusBadRequest, "", "Unable to parse request body: %v", err)
	}
	s := &Secret{ID: c.newID("secret"), Name: want.Name, ProjectID: q.project, UserID: q.token.user.id, Type: cmp.Or(want.Type, "opaque"),
		Algorithm: want.Algorithm, Mode: want.Mode, BitLength: want.BitLength, Created: c.at}
	if !slices.Contains(secretTypes, s.Type) {
		return nil, badSecret("'%s' is not one of ['%s']", s.Type, strings.Join(secretTypes, "', '"))
	}
	if err := c.setExpiration(s, want.Expiration); err != nil {
		return nil, err
	}
	switch {
	case want.Payload == nil && want.Content != "":
		return nil, badSecret("payload must be provided when payload_content_type is supplied.")
	case want.Payload != nil:
		if err := s.setPayload(*want.Payload, want.Content, want.Encoding); err != nil {
			return nil, err
		}
	}
	c.keys.secrets.add(s)
	return wrap("secret_ref", c.ref("secrets", s.ID)), nil
}

func badSecret(format string, args ...any) error {
	return refuse(http.StatusBadRequest, "", "Provided object does not match schema 'Secret': "+format, args...)
}

func (c *Cloud) setExpiration(s *Secret, text string) error {
	if text == "" {
		return nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04:05.999999"} {
		if at, err := time.Parse(layout, text); err == nil {
			s.Expiration = at
		}
	}
	if s.Expiration.IsZero() {
		return badSecret("Invalid date for 'expiration'")
	}
	if !s.Expiration.After(c.at) {
		return badSecret("'expiration' is before current time")
	}
	return nil
}

// setPayload is barbican/common/validators.py, _validate_payload: text as it is,
// octets in base64.
func (s *Secret) setPayload(payload, contentType, encoding string) error {
	kind, _, _ := strings.Cut(contentType, ";")
	switch {
	case payload == "":
		return badSecret("If 'payload' specified, must be non empty.")
	case contentType == "":
		return badSecret("If 'payload' is supplied, 'payload_content_type' must also be supplied.")
	case kind == "text/plain" && encoding != "":
		return badSecret("payload_content_encoding must not be specified when payload_content_type is text/plain.")
	case kind == "text/plain":
		s.Payload, s.ContentType = []byte(payload), "text/plain"
		return nil
	case kind != "application/octet-stream":
		return badSecret("payload_content_type is not one of ['text/plain', 'text/plain;charset=utf-8', 'text/plain; charset=utf-8', 'application/octet-stream']")
	case encoding != "base64":
		return badSecret("payload_content_encoding must be specified when payload_content_type is application/octet-stream.")
	}
	raw, err := base64.StdEncoding.DecodeString(payload)
	if err != nil {
		return badSecret("Invalid payload for payload_content_encoding")
	}
	s.Payload, s.ContentType = raw, kind
	return nil
}

// secretOf finds a secret that has not expired.
func (c *Cloud) secretOf(q *request) (*Secret, error) {
	s, ok := c.keys.secrets.of(q.project, q.id("id"))
	if !ok || c.expired(s) {
		return nil, refuse(http.StatusNotFound, "", "Secret not found.")
	}
	return s, nil
}

func (c *Cloud) expired(s *Secret) bool { return !s.Expiration.IsZero() && !s.Expiration.After(c.at) }

func (c *Cloud) showSecret(q *request) (any, error) {
	s, err := c.secretOf(q)
	if err != nil {
		return nil, err
	}
	return s.shown(c), nil
}

// showPayload is barbican/api/controllers/secrets.py, get_secret_payload: 406 for
// a type that the payload does not have.
func (c *Cloud) showPayload(q *request) (any, error) {
	s, err := c.secretOf(q)
	if err != nil {
		return nil, err
	}
	if s.ContentType == "" {
		return nil, refuse(http.StatusNotFound, "", "Not Found. Sorry but your secret has no payload.")
	}
	if accept := q.Header.Get("Accept"); accept != "" && !strings.Contains(accept, s.ContentType) && !strings.Contains(accept, "*/*") {
		return nil, refuse(http.StatusNotAcceptable, "", "Secret payload retrieval issue seen - Wrong payload content-type.")
	}
	return reply{http.StatusOK, string(s.Payload), http.Header{"Content-Type": {s.ContentType}}}, nil
}

// storePayload is the second of two steps: the body is the payload.
func (c *Cloud) storePayload(q *request) (any, error) {
	s, err := c.secretOf(q)
	if err != nil {
		return nil, err
	}
	contentType := q.Header.Get("Content-Type")
	switch {
	case contentType == "" || contentType == "application/json":
		return nil, refuse(http.StatusUnsupportedMediaType, "", "Content-Type of '%s' is not supported for PUT.", contentType)
	case s.ContentType != "":
		return nil, refuse(http.StatusConflict, "", "Secret already has data, cannot modify it.")
	}
	encoding := q.Header.Get("Content-Encoding")
	payload := string(q.raw)
	if encoding == "" && contentType == "application/octet-stream" { // octets may come as they are
		payload, encoding = base64.StdEncoding.EncodeToString(q.raw), "base64"
	}
	if err := s.setPayload(payload, contentType, encoding); err != nil {
		return nil, err
	}
	return reply{status: http.StatusNoContent}, nil
}

func (c *Cloud) deleteSecret(q *request) (any, error) {
	s, err := c.secretOf(q)
	if err == nil {
		c.keys.secrets.drop(s.ID)
	}
	return nil, err
}

// listSecrets knows the filters name, alg, mode, bits and secret_type.
func (c *Cloud) listSecrets(q *request) (any, error) {
	var rows []*Secret
	for _, s := range c.keys.secrets.listed() {
		if s.ProjectID == q.project && !c.hidden[s.ID] && !c.expired(s) && s.fits(q) {
			rows = append(rows, s)
		}
	}
	return keyPage(c, q, "secrets", rows, func(s *Secret) any { return s.shown(c) }), nil
}

func (s *Secret) fits(q *request) bool {
	have := map[string]string{"name": s.Name, "alg": s.Algorithm, "mode": s.Mode, "bits": text(&s.BitLength), "secret_type": s.Type}
	for key, value := range have {
		if want := q.query.Get(key); want != "" && want != "0" && want != value {
			return false
		}
	}
	return true
}
