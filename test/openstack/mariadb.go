package openstack

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/capok/capok/test/lab/place"
	"github.com/capok/capok/test/lab/process"
)

// databases are all there are; the schema dump holds them together.
var databases = strings.Fields("keystone placement glance nova_api nova nova_cell0 neutron cinder heat octavia")

// schemaPackages decide what the databases' tables look like.
var schemaPackages = strings.Fields(`mariadb-server-core python3-keystone python3-placement python3-glance
	python3-nova python3-neutron python3-cinder python3-heat python3-octavia`)

func (c *cloud) mariadb() server {
	return server{Command: process.Command{Name: "mariadb", Args: []string{"mariadbd", "--defaults-file=" + c.conf("mariadb", "my.cnf")}}}
}

// initDatabase makes MariaDB's own tables; a half-made folder is made anew.
func (c *cloud) initDatabase(ctx context.Context) error {
	if _, err := os.Stat(c.Path("mysql")); err == nil {
		return nil
	}
	next := c.Path("mysql.new")
	if err := errors.Join(os.RemoveAll(next), os.MkdirAll(next, 0o700), os.RemoveAll(c.schemaDone())); err != nil {
		return err
	}
	if _, err := c.tool(ctx, "mariadb-install-db", "--no-defaults", "--user=root", "--datadir="+next,
		"--auth-root-authentication-method=normal", "--skip-test-db"); err != nil {
		return err
	}
	return os.Rename(next, c.Path("mysql"))
}

// sql runs statements, in a database if one is named.
func (c *cloud) sql(ctx context.Context, database, statements string) error {
	args := []string{"mariadb", "--no-defaults", "-u", "root", "-S", c.Path("run", "mysqld.sock"), "-e", statements}
	if database != "" {
		args = append(args, database)
	}
	_, err := c.tool(ctx, args...)
	return err
}

func (c *cloud) schemaDone() string { return c.Path("schema-done") }

// makeSchema makes all tables, once: from a dump that was taken with the same
// packages, else by the services' own migrations, which take minutes.
func (c *cloud) makeSchema(ctx context.Context) error {
	if _, err := os.Stat(c.schemaDone()); err == nil {
		return nil
	}
	key, err := c.schemaKey(ctx)
	if err != nil {
		return err
	}
	for _, name := range databases {
		if err := c.sql(ctx, "", "DROP DATABASE IF EXISTS "+name+"; CREATE DATABASE "+name+" CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"); err != nil {
			return err
		}
	}
	dump, err := c.findDump(key)
	if err != nil {
		return err
	}
	if dump != "" {
		c.progress.Sayf("database schema out of %s", dump)
		err = c.loadDump(ctx, dump)
	} else {
		c.progress.Sayf("database schema by migrations: there is no dump for the installed packages yet")
		if err = c.runMigrations(ctx); err == nil {
			err = c.saveDump(ctx, dumpPath(key))
		}
	}
	if err != nil {
		return err
	}
	// The cells' addresses in a dump are those of another state folder.
	if err := c.sql(ctx, "nova_api", fmt.Sprintf(`UPDATE cell_mappings SET database_connection='%s' WHERE name='cell0';
		UPDATE cell_mappings SET transport_url='%s', database_connection='%s' WHERE name='cell1'`,
		c.Database("nova_cell0"), c.Broker(), c.Database("nova"))); err != nil {
		return err
	}
	return write(c.schemaDone(), []byte(key+"\n"), 0o644)
}

// runMigrations runs three chains side by side, which is what two cores take.
func (c *cloud) runMigrations(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, chain := range [][][]string{
		c.neutronSchema(),
		append(c.novaSchema(), c.placementSchema()...),
		append(append(append(append(c.octaviaSchema(), c.keystoneSchema()...), c.cinderSchema()...), c.heatSchema()...), c.glanceSchema()...),
	} {
		group.Go(func() error {
			for _, command := range chain {
				began := time.Now()
				if _, err := c.tool(ctx, command...); err != nil {
					return err
				}
				c.progress.Sayf("  %s: %.0fs", command[0], time.Since(began).Seconds())
			}
			return nil
		})
	}
	return group.Wait()
}

// schemaKey changes when a package changes that has to do with the tables.
func (c *cloud) schemaKey(ctx context.Context) (string, error) {
	versions, err := c.tool(ctx, append([]string{"dpkg-query", "-W", "-f", "${Package} ${Version}\n"}, schemaPackages...)...)
	return fmt.Sprintf("%x", sha256.Sum256([]byte(versions)))[:16], err
}

func dumpPath(key string) string { return place.Cache("openstack", "schema-"+key+".sql.gz") }

// findDump looks for a dump in the cache, then in the source tree.
func (c *cloud) findDump(key string) (string, error) {
	if _, err := os.Stat(dumpPath(key)); err == nil {
		return dumpPath(key), nil
	}
	content, err := configuration.ReadFile("mariadb/schema-" + key + ".sql.gz")
	if err != nil {
		return "", nil
	}
	return dumpPath(key), write(dumpPath(key), content, 0o644)
}

func (c *cloud) loadDump(ctx context.Context, dump string) error {
	return c.pipe(ctx, `gzip -dc "$1" | mariadb --no-defaults -u root -S "$2"`, dump)
}

func (c *cloud) saveDump(ctx context.Context, dump string) error {
	return c.pipe(ctx, `mariadb-dump --no-defaults -u root -S "$2" --skip-comments --single-transaction \
		--databases $3 | gzip -9n > "$1.new" && mv "$1.new" "$1"`, dump)
}

func (c *cloud) pipe(ctx context.Context, script, dump string) error {
	cmd := exec.CommandContext(ctx, "bash", "-o", "pipefail", "-c", script, "bash", dump, c.Path("run", "mysqld.sock"), strings.Join(databases, " "))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("schema dump %s: %w: %s", dump, err, out)
	}
	return nil
}
