package cloud

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/config/clouds"
	"gopkg.in/yaml.v2"
)

// Credentials say how to reach one project of one OpenStack region.
type Credentials struct {
	// CloudsYAML is a clouds.yaml file, as OpenStack's clients read it.
	CloudsYAML []byte
	// Cloud is the entry of CloudsYAML to use.
	Cloud string
	// Region overrides the region_name of the entry. Empty: the entry's own.
	Region string
	// CACert is a bundle of PEM certificates that the endpoints' TLS
	// certificates must lead to. Empty: the certificates of the system.
	CACert []byte
}

// Key names what the credentials give access to. Two credentials with the
// same key may share a session: every field is in it, so that neither region
// nor CA nor another tenant's password can be mixed up.
func (c Credentials) Key() string {
	sum := sha256.New()
	for _, part := range [][]byte{c.CloudsYAML, []byte(c.Cloud), []byte(c.Region), c.CACert} {
		fmt.Fprintf(sum, "%d:", len(part))
		sum.Write(part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// parsed is a clouds.yaml entry in gophercloud's terms.
type parsed struct {
	auth     gophercloud.AuthOptions
	endpoint gophercloud.EndpointOpts
	tls      *tls.Config
}

// parse reads the entry without touching disk or environment: neither the
// manager's own OS_* variables nor its files may leak into a tenant's session.
func (c Credentials) parse() (parsed, error) {
	entry, err := c.entry()
	if err != nil {
		return parsed{}, err
	}
	file, err := yaml.Marshal(clouds.Clouds{Clouds: map[string]clouds.Cloud{c.Cloud: entry}})
	if err != nil {
		return parsed{}, Problemf(Unauthorized, "clouds.yaml: cloud %q cannot be read", c.Cloud)
	}
	region := c.Region
	if region == "" {
		region = entry.RegionName
	}
	auth, endpoint, tlsConfig, err := clouds.Parse(
		clouds.WithCloudName(c.Cloud),
		clouds.WithCloudsYAML(bytes.NewReader(file)),
		clouds.WithRegion(region),
		clouds.WithEndpointType(cmp.Or(entry.EndpointType, entry.Interface, "public")),
	)
	if err != nil {
		return parsed{}, Problemf(Unauthorized, "clouds.yaml: cloud %q cannot be used: %v", c.Cloud, err)
	}
	if auth.IdentityEndpoint == "" {
		return parsed{}, Problemf(Unauthorized, "clouds.yaml: cloud %q has no auth.auth_url", c.Cloud)
	}
	auth.AllowReauth = auth.TokenID == ""
	if tlsConfig == nil {
		tlsConfig = &tls.Config{}
	}
	tlsConfig.MinVersion = tls.VersionTLS12
	if len(c.CACert) > 0 {
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(c.CACert) {
			return parsed{}, Problemf(Unauthorized, "the key cacert of the credentials has no PEM certificate in it")
		}
		tlsConfig.RootCAs = pool
	}
	return parsed{auth, endpoint, tlsConfig}, nil
}

// entry is the named cloud of the file. The parser's own error is not passed
// on: it quotes what it read, and that may be a password. Paths of files are
// dropped: they would be read from the manager's disk.
func (c Credentials) entry() (clouds.Cloud, error) {
	var file clouds.Clouds
	if yaml.Unmarshal(c.CloudsYAML, &file) != nil {
		return clouds.Cloud{}, Problemf(Unauthorized, "clouds.yaml is not valid YAML of the form clouds: {NAME: {auth: ...}}")
	}
	entry, found := file.Clouds[c.Cloud]
	if !found {
		names := slices.Sorted(maps.Keys(file.Clouds))
		return clouds.Cloud{}, Problemf(Unauthorized, "clouds.yaml has no cloud %q; it has %s: set identityRef.cloudName to one of them",
			c.Cloud, strings.Join(names, ", "))
	}
	if entry.AuthInfo == nil {
		return clouds.Cloud{}, Problemf(Unauthorized, "clouds.yaml: cloud %q has no auth section", c.Cloud)
	}
	entry.CACertFile, entry.ClientCertFile, entry.ClientKeyFile = "", "", ""
	entry.Cloud, entry.Profile = "", ""
	return entry, nil
}
