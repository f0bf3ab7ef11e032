package openstacksim

import (
	"crypto/sha256"
	"fmt"
	"net/http"
)

// compute is Nova: osapi_max_limit is the page size, everything fits on its
// hosts unless a test says otherwise.
type compute struct {
	service     *service
	servers     *table[Server, *Server]
	groups      *table[ServerGroup, *ServerGroup]
	flavors     *table[Flavor, *Flavor]
	keypairs    *table[KeyPair, *KeyPair]
	gone        []*Server // deleted ones, for changes-since
	zones       []string
	zoneDown    map[string]bool
	quotas      map[string]int // see limitOf
	hosts       int            // per zone
	noValidHost bool
	faults      map[string]ServerFault // by name of the server
	down        map[string]bool        // IDs of servers in a cell that is down
}

// ServerFault is what a server in ERROR shows as its fault.
type ServerFault struct {
	Code    int    `json:"code"`
	Created string `json:"created"`
	Message string `json:"message"`
}

func (c *Cloud) startCompute() {
	s := &service{name: "nova", kind: "compute", root: "/compute", base: "/compute/v2.1", render: novaError, prepare: negotiate}
	n := &compute{service: s, zones: []string{"nova", "az1", "az2"}, zoneDown: map[string]bool{}, quotas: map[string]int{"metadata_items": 128}, hosts: defaultHosts,
		faults: map[string]ServerFault{}, down: map[string]bool{}}
	c.compute = n
	c.identity.catalog = append(c.identity.catalog, s)
	n.servers = register[Server](c, "server")
	n.groups = register[ServerGroup](c, "server-group")
	n.flavors = register[Flavor](c, "flavor")
	n.keypairs = register[KeyPair](c, "keypair")
	n.flavors.add(&Flavor{ID: "1", Name: "m1.small", VCPUs: 1, RAM: 2048, Disk: 20, Extra: map[string]string{}})
	n.keypairs.add(&KeyPair{Name: "default", PublicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI", Fingerprint: "00:11", UserID: c.identity.users[User].id, Type: "ssh"})

	// nova/api/openstack/compute/versions.py
	c.document(s, s.root, http.StatusOK, func() any { return wrap("versions", []any{c.novaVersion()}) })
	c.document(s, s.base, http.StatusOK, func() any { return wrap("version", c.novaVersion()) })
	c.computeRoutes()
}

func (c *Cloud) computeRoutes() {
	s := c.compute.service
	c.on(s, "GET", "/flavors", c.listFlavors)
	c.on(s, "GET", "/flavors/detail", c.listFlavors)
	c.on(s, "GET", "/flavors/{id}", c.showFlavor)
	c.on(s, "GET", "/flavors/{id}/os-extra_specs", c.showExtraSpecs)
	c.on(s, "GET", "/flavors/{id}/os-extra_specs/{key}", c.showExtraSpec)
	c.on(s, "GET", "/os-availability-zone", c.listZones)
	c.on(s, "GET", "/os-server-groups", c.listServerGroups)
	c.on(s, "POST", "/os-server-groups", c.createServerGroup)
	c.on(s, "GET", "/os-server-groups/{id}", c.showServerGroup)
	c.on(s, "DELETE", "/os-server-groups/{id}", c.deleteServerGroup)
	c.on(s, "GET", "/limits", c.showComputeLimits)
	c.on(s, "GET", "/os-quota-sets/{id}", c.showQuotaSet)
	c.on(s, "GET", "/os-quota-sets/{id}/detail", c.showQuotaDetail)
	c.on(s, "GET", "/os-quota-sets/{id}/defaults", c.showQuotaDefaults)
	c.on(s, "PUT", "/os-quota-sets/{id}", c.updateQuotaSet)
	c.on(s, "DELETE", "/os-quota-sets/{id}", c.deleteQuotaSet)
	c.on(s, "GET", "/servers", c.listServers)
	c.on(s, "GET", "/servers/detail", c.listServers)
	c.on(s, "POST", "/servers", c.createServer)
	c.on(s, "GET", "/servers/{id}", c.showServer)
	c.on(s, "DELETE", "/servers/{id}", c.deleteServer)
	c.on(s, "POST", "/servers/{id}/action", c.serverAction)
	c.on(s, "GET", "/servers/{id}/os-interface", c.listInterfaces)
	c.on(s, "POST", "/servers/{id}/os-interface", c.attachInterface)
	c.on(s, "GET", "/servers/{id}/os-interface/{port}", c.showInterface)
	c.on(s, "DELETE", "/servers/{id}/os-interface/{port}", c.detachInterface)
	c.attachmentRoutes()
	c.keyPairRoutes()
	c.tagRoutes()
}

// novaError is nova/api/openstack/wsgi.py, Fault.
func novaError(e *apiError) any {
	if e.status == http.StatusUnauthorized {
		return keystoneError(e)
	}
	names := map[int]string{400: "badRequest", 403: "forbidden", 404: "itemNotFound", 405: "badMethod", 409: "conflictingRequest",
		413: "overLimit", 429: "overLimit", 501: "notImplemented", 503: "serviceUnavailable"}
	name, ok := names[e.status]
	if !ok {
		name = "computeFault"
	}
	return wrap(name, map[string]any{"code": e.status, "message": e.message})
}

func withLinks(name string, list []any, links []map[string]string) map[string]any {
	body := wrap(name, list)
	if links != nil {
		body[name+"_links"] = links
	}
	return body
}

// hexOf is an ID that depends on a text only.
func hexOf(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s)))[:32] }
