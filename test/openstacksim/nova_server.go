package openstacksim

import (
	"cmp"
	"fmt"
	"net/netip"
	"time"
)

// Server is a Nova server.
type Server struct {
	ID, Name, ProjectID, UserID string
	Status                      string // BUILD, ACTIVE, ERROR, ...
	TaskState                   string // "deleting", "rebooting", ... while Nova is at it
	Metadata                    map[string]string
	Tags                        []string
	ImageID                     string // empty if it boots from a volume
	Flavor                      Flavor // as it was at creation
	Zone                        string // empty until it has a host
	WantedZone                  string
	Host                        string
	KeyName                     string
	ConfigDrive                 bool
	UserData                    string // base64, as sent
	PortIDs                     []string
	Volumes                     []ServerVolume
	GroupID                     string // of the server group
	Fault                       *ServerFault
	Created, Updated            time.Time
	Launched                    time.Time
	Console                     string // what it wrote to its console; see SetConsole

	before   string   // its status before an action that is under way
	ownPorts []string // made by Nova, deleted with the server
}

// ServerVolume is a volume of a server.
type ServerVolume struct {
	ID                  string `json:"id"`
	DeleteOnTermination bool   `json:"delete_on_termination"`
	Device              string `json:"-"`
}

func (s *Server) ident() string { return s.ID }
func (s *Server) owner() string { return s.ProjectID }
func (s *Server) label() string { return s.Name }

func (s *Server) links(c *Cloud) []any {
	return []any{map[string]string{"rel": "self", "href": c.url + "/compute/v2.1/servers/" + s.ID}}
}

// brief is one item of GET /servers.
func (s *Server) brief(c *Cloud) map[string]any {
	return map[string]any{"id": s.ID, "name": s.Name, "links": s.links(c)}
}

// detail is nova/api/openstack/compute/views/servers.py, show.
func (s *Server) detail(c *Cloud, minor int) map[string]any {
	const iso = "2006-01-02T15:04:05Z"
	d := map[string]any{
		"id": s.ID, "name": s.Name, "status": s.Status, "tenant_id": s.ProjectID, "user_id": s.UserID, "metadata": s.Metadata,
		"hostId": hostID(s), "image": s.image(), "flavor": s.flavor(minor), "addresses": c.addresses(s), "links": s.links(c),
		"created": s.Created.UTC().Format(iso), "updated": s.Updated.UTC().Format(iso), "accessIPv4": "", "accessIPv6": "",
		"OS-DCF:diskConfig": "MANUAL", "OS-EXT-AZ:availability_zone": s.Zone, "config_drive": map[bool]string{true: "True"}[s.ConfigDrive],
		"key_name": orNil(s.KeyName), "OS-SRV-USG:launched_at": nil, "OS-SRV-USG:terminated_at": nil,
		"OS-EXT-STS:task_state": orNil(s.TaskState), "OS-EXT-STS:vm_state": s.vmState(),
		"OS-EXT-STS:power_state":               powerState[s.vmState()],
		"os-extended-volumes:volumes_attached": append([]ServerVolume{}, s.Volumes...),
	}
	if !s.Launched.IsZero() {
		d["OS-SRV-USG:launched_at"] = s.Launched.UTC().Format("2006-01-02T15:04:05.000000")
	}
	if groups := c.groupNames(s); len(groups) > 0 {
		d["security_groups"] = groups
	}
	switch s.Status {
	case "ACTIVE", "BUILD", "REBUILD":
		d["progress"] = 0
	case "ERROR", "DELETED":
		if s.Fault != nil {
			d["fault"] = *s.Fault
		}
	}
	s.since(c, d, minor)
	return d
}

// vmState is Nova's own state of the server, of which the status is made
// together with the task (nova/api/openstack/common.py, _STATE_MAP).
func (s *Server) vmState() string {
	return map[string]string{"BUILD": "building", "ACTIVE": "active", "ERROR": "error", "SHUTOFF": "stopped", "DELETED": "deleted",
		"PAUSED": "paused", "SUSPENDED": "suspended", "SHELVED_OFFLOADED": "shelved_offloaded"}[cmp.Or(s.before, s.Status)]
}

// powerState is nova/objects/fields.py, InstancePowerState.
var powerState = map[string]int{"active": 1, "paused": 3, "stopped": 4, "suspended": 7}

// since adds what later microversions show.
func (s *Server) since(c *Cloud, d map[string]any, minor int) {
	if minor >= 9 {
		d["locked"] = false
	}
	if minor >= 19 {
		d["description"] = nil
	}
	if minor >= 26 {
		d["tags"] = append([]string{}, s.Tags...)
	}
	if minor >= 63 {
		d["trusted_image_certificates"] = nil
	}
	if minor >= 71 {
		d["server_groups"] = s.groups(c)
	}
	if minor >= 90 {
		d["OS-EXT-SRV-ATTR:hostname"] = s.Name
	}
}

// groups is the server group unless it is deleted.
func (s *Server) groups(c *Cloud) []string {
	if _, ok := c.compute.groups.get(s.GroupID); ok {
		return []string{s.GroupID}
	}
	return []string{}
}

// image is an empty text for a server that boots from a volume (views/servers.py, _get_image).
func (s *Server) image() any {
	if s.ImageID == "" {
		return ""
	}
	return map[string]any{"id": s.ImageID, "links": []any{}}
}

// flavor is embedded since 2.47 (views/servers.py, _get_flavor).
func (s *Server) flavor(minor int) any {
	if minor < 47 {
		return map[string]any{"id": s.Flavor.ID, "links": []any{}}
	}
	return map[string]any{"original_name": s.Flavor.Name, "vcpus": s.Flavor.VCPUs, "ram": s.Flavor.RAM, "disk": s.Flavor.Disk,
		"ephemeral": 0, "swap": 0, "extra_specs": s.Flavor.Extra}
}

// unknown is what lists tell of a server whose cell is down, since 2.69
// (views/servers.py, basic and _show_from_down_cell).
func (s *Server) unknown(c *Cloud, detail bool) map[string]any {
	d := map[string]any{"id": s.ID, "status": "UNKNOWN", "links": s.links(c)}
	if detail {
		d["tenant_id"], d["created"] = s.ProjectID, s.Created.UTC().Format("2006-01-02T15:04:05Z")
	}
	return d
}

// partial is what GET by ID tells of it: also what the request for it said.
func (s *Server) partial(c *Cloud, minor int) map[string]any {
	d := s.unknown(c, true)
	d["user_id"], d["image"], d["flavor"], d["OS-EXT-STS:power_state"] = s.UserID, s.image(), s.flavor(minor), 0
	d["OS-EXT-AZ:availability_zone"] = cmp.Or(s.WantedZone, "UNKNOWN")
	if minor >= 71 {
		d["server_groups"] = s.groups(c)
	}
	return d
}

// addresses are those of the ports by network name (views/addresses.py).
func (c *Cloud) addresses(s *Server) map[string]any {
	addresses := map[string]any{}
	for _, id := range s.PortIDs {
		p, ok := c.network.ports.get(id)
		if !ok || p.DeviceID != s.ID {
			continue
		}
		n, _ := c.network.networks.get(p.NetworkID)
		list, _ := addresses[n.Name].([]any)
		for _, ip := range p.FixedIPs {
			list = append(list, address(p, ip.IPAddress, "fixed"))
		}
		for _, f := range c.network.floating.rows {
			if f.PortID != nil && *f.PortID == p.ID {
				list = append(list, address(p, f.Address, "floating"))
			}
		}
		addresses[n.Name] = list
	}
	return addresses
}

func address(p *Port, ip, kind string) any {
	version := 6
	if netip.MustParseAddr(ip).Is4() {
		version = 4
	}
	return map[string]any{"addr": ip, "version": version, "OS-EXT-IPS:type": kind, "OS-EXT-IPS-MAC:mac_addr": p.MACAddress}
}

// groupNames are the security groups of the ports.
func (c *Cloud) groupNames(s *Server) []any {
	var names []any
	for _, id := range s.PortIDs {
		p, ok := c.network.ports.get(id)
		if !ok {
			continue
		}
		for _, id := range p.Groups {
			if g, ok := c.network.groups.get(id); ok {
				names = append(names, wrap("name", g.Name))
			}
		}
	}
	return names
}

// hostID tells a project which of its servers share a host (views/servers.py,
// _get_host_id).
func hostID(s *Server) string {
	if s.Host == "" {
		return ""
	}
	return fmt.Sprintf("%s%.24s", hexOf(s.ProjectID+s.Host), hexOf(s.Host))
}

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}
