package openstack

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
)

func (c *cloud) keystone() server {
	return c.uwsgi("keystone", "/usr/bin/keystone-wsgi-public", 5000,
		[]string{"OS_KEYSTONE_CONFIG_FILES=" + c.conf("keystone", "keystone.conf")})
}

func (c *cloud) keystoneSchema() [][]string {
	return [][]string{{"keystone-manage", "--config-file", c.conf("keystone", "keystone.conf"), "db_sync"}}
}

// keystoneKeys makes the keys of tokens and credentials, as keystone-manage's
// fernet_setup does, which takes seconds.
func (c *cloud) keystoneKeys() error {
	for _, dir := range []string{"fernet-keys", "credential-keys"} {
		for _, name := range []string{"0", "1"} {
			file := c.Path("keystone", dir, name)
			if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				return err
			}
			key := make([]byte, 32)
			_, _ = rand.Read(key)
			if err := write(file, []byte(base64.URLEncoding.EncodeToString(key)), 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// bootstrapKeystone makes the admin user and Keystone's own endpoint, once.
func (c *cloud) bootstrapKeystone(ctx context.Context) error {
	done := c.Path("bootstrap-done")
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	url := c.URL(5000) + "/v3"
	if _, err := c.toolWith(ctx, []string{"OS_BOOTSTRAP_PASSWORD=" + c.Password},
		"keystone-manage", "--config-file", c.conf("keystone", "keystone.conf"), "bootstrap",
		"--bootstrap-region-id", "RegionOne", "--bootstrap-public-url", url,
		"--bootstrap-internal-url", url, "--bootstrap-admin-url", url); err != nil {
		return err
	}
	return write(done, nil, 0o644)
}
