package openstack

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// catalog is what Keystone tells of the services.
var catalog = []struct{ kind, name, path, user string }{
	{"placement", "placement", ":8778", "placement"},
	{"compute", "nova", ":8774/v2.1", "nova"},
	{"network", "neutron", ":9696", "neutron"},
	{"image", "glance", ":9292", "glance"},
	{"block-storage", "cinder", ":8776/v3/%(project_id)s", "cinder"},
	{"volumev3", "cinderv3", ":8776/v3/%(project_id)s", "cinder"},
	{"load-balancer", "octavia", ":9876", "octavia"},
	{"orchestration", "heat", ":8004/v1/%(project_id)s", "heat"},
}

// roles are those that the services' policies name, and that no one made.
var roles = strings.Fields(`admin member reader service load-balancer_member load-balancer_observer
	load-balancer_global_observer load-balancer_quota_admin load-balancer_admin heat_stack_owner heat_stack_user`)

// tenants are projects without privileges, each with one user. The second is
// there to show that the first does not see it.
var tenants = []struct{ project, user string }{{"kaas", "capok"}, {"other", "other"}}

// seeder makes what is in Keystone.
type seeder struct {
	*client
	*cloud
	v3    string
	roles map[string]string // IDs
}

// admin logs in as the cloud's administrator.
func (c *cloud) admin(ctx context.Context) (*client, error) {
	return login(ctx, c.URL(5000), "admin", "admin", c.Password)
}

// seedIdentity makes users, projects, roles and the catalog, once: looking at
// each again would take most of the time of an Up that has nothing to do.
func (c *cloud) seedIdentity(ctx context.Context) error {
	done, want := c.Path("identity-done"), fmt.Sprint(c.Host(), catalog, roles, tenants)
	if have, err := os.ReadFile(done); err == nil && string(have) == want {
		return nil
	}
	if err := c.makeIdentity(ctx); err != nil {
		return err
	}
	return write(done, []byte(want), 0o644)
}

func (c *cloud) makeIdentity(ctx context.Context) error {
	admin, err := c.admin(ctx)
	if err != nil {
		return err
	}
	s := seeder{client: admin, cloud: c, v3: c.URL(5000) + "/v3", roles: map[string]string{}}
	for _, name := range roles {
		role, err := s.ensure(ctx, kind{s.v3 + "/roles", "roles", "role"}, named(name), object{"name": name})
		if err != nil {
			return err
		}
		s.roles[name] = role.id()
	}
	if err := s.services(ctx); err != nil {
		return err
	}
	if err := s.grant(ctx, "projects/"+s.client.project, s.client.user, "member", "load-balancer_admin", "heat_stack_owner"); err != nil {
		return err
	}
	if err := s.tenants(ctx); err != nil {
		return err
	}
	return s.heatDomain(ctx)
}

// tenants makes the projects that users of the cloud work in.
func (s seeder) tenants(ctx context.Context) error {
	for _, t := range tenants {
		project, err := s.project(ctx, t.project)
		if err != nil {
			return err
		}
		user, err := s.user(ctx, t.user, "default")
		if err != nil {
			return err
		}
		if err := s.grant(ctx, "projects/"+project, user, "member", "load-balancer_member", "heat_stack_owner"); err != nil {
			return err
		}
	}
	return nil
}

// services makes the services' users and the catalog.
func (s seeder) services(ctx context.Context) error {
	project, err := s.project(ctx, "service")
	if err != nil {
		return err
	}
	for _, entry := range catalog {
		user, err := s.user(ctx, entry.user, "default")
		if err != nil {
			return err
		}
		if err := s.grant(ctx, "projects/"+project, user, "admin", "service"); err != nil {
			return err
		}
		service, err := s.ensure(ctx, kind{s.v3 + "/services", "services", "service"}, named(entry.name), object{"type": entry.kind, "name": entry.name})
		if err != nil {
			return err
		}
		if err := s.endpoints(ctx, service.id(), fmt.Sprintf("http://%s%s", s.Host(), entry.path)); err != nil {
			return err
		}
	}
	return nil
}

func (s seeder) endpoints(ctx context.Context, service, address string) error {
	k := kind{s.v3 + "/endpoints", "endpoints", "endpoint"}
	have, err := s.list(ctx, k, url.Values{"service_id": {service}})
	if err != nil {
		return err
	}
	made := map[any]bool{}
	for _, e := range have {
		made[e["interface"]] = true
	}
	for _, side := range []string{"public", "internal", "admin"} {
		if made[side] {
			continue
		}
		if err := s.do(ctx, http.MethodPost, k.url, object{k.single: object{
			"service_id": service, "interface": side, "region_id": "RegionOne", "url": address}}, nil); err != nil {
			return err
		}
	}
	return nil
}

// heatDomain holds the users that Heat makes for stacks.
func (s seeder) heatDomain(ctx context.Context) error {
	domain, err := s.ensure(ctx, kind{s.v3 + "/domains", "domains", "domain"}, named("heat"), object{"name": "heat"})
	if err != nil {
		return err
	}
	user, err := s.user(ctx, "heat_domain_admin", domain.id())
	if err != nil {
		return err
	}
	return s.grant(ctx, "domains/"+domain.id(), user, "admin")
}

func (s seeder) project(ctx context.Context, name string) (id string, err error) {
	p, err := s.ensure(ctx, kind{s.v3 + "/projects", "projects", "project"}, named(name), object{"name": name, "domain_id": "default"})
	return p.id(), err
}

func (s seeder) user(ctx context.Context, name, domain string) (id string, err error) {
	u, err := s.ensure(ctx, kind{s.v3 + "/users", "users", "user"}, url.Values{"name": {name}, "domain_id": {domain}},
		object{"name": name, "domain_id": domain, "password": s.Password})
	return u.id(), err
}

func (s seeder) grant(ctx context.Context, scope, user string, names ...string) error {
	for _, name := range names {
		if err := s.do(ctx, http.MethodPut, fmt.Sprintf("%s/%s/users/%s/roles/%s", s.v3, scope, user, s.roles[name]), nil, nil); err != nil {
			return err
		}
	}
	return nil
}
