package cloud

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
)

// Compute is Nova, as much of it as Capok needs.
type Compute struct {
	nova *gophercloud.ServiceClient
}

// Statuses of a server that we tell apart (Nova's api-guide, "Server concepts").
const (
	ServerActive  = "ACTIVE"
	ServerBuild   = "BUILD"
	ServerError   = "ERROR"
	ServerDeleted = "DELETED"
	// ServerUnknown is what Nova says of a server in a cell that it cannot
	// reach: nothing is known, so nothing may be done.
	ServerUnknown = "UNKNOWN"
)

// Server is a Nova server.
type Server struct {
	ID               string
	Name             string
	Tags             []string
	Status           string // Nova's word, see the constants
	TaskState        string // such as "deleting"; empty when nothing goes on
	Fault            Fault  // why the status is ERROR
	Addresses        []Address
	AvailabilityZone string
	Created          time.Time
}

// HasTag tells whether the server carries a tag.
func (s Server) HasTag(tag string) bool { return slices.Contains(s.Tags, tag) }

// Fault is why a server went to ERROR, in Nova's words.
type Fault struct {
	Code    int // HTTP-like: 500
	Message string
}

// NoCapacity tells whether Nova found no host to put the server on.
func (f Fault) NoCapacity() bool {
	return strings.Contains(f.Message, "No valid host") || strings.Contains(f.Message, "Exceeded maximum number of retries")
}

// Address is one IP address of a server.
type Address struct {
	Network  string // name of the network
	IP       netip.Addr
	Floating bool
}

// ServerSpec is what a new server should be.
type ServerSpec struct {
	Name             string
	Tags             []string // the marks first; at most 50, each at most 60 characters without "/" and ","
	FlavorID         string
	ImageID          string // empty when RootVolumeID is given
	RootVolumeID     string // a bootable volume that goes with the server
	PortIDs          []string
	UserData         []byte // as given to cloud-init; at most MaxUserData bytes
	ConfigDrive      *bool  // nil: as the image or the cloud wants it
	AvailabilityZone string // empty: Nova chooses
	ServerGroupID    string
	KeyName          string
	Metadata         map[string]string
}

// MaxUserData is how many bytes of user data Nova takes: 65535 after base64
// (nova/conf: the schema of POST /servers).
const MaxUserData = 65535 / 4 * 3

// CreateServer asks for a server. Nova answers before it is built: the status
// of what is returned is BUILD.
func (c *Compute) CreateServer(ctx context.Context, want ServerSpec) (Server, error) {
	opts := servers.CreateOpts{
		Name:             want.Name,
		Tags:             want.Tags,
		FlavorRef:        want.FlavorID,
		ImageRef:         want.ImageID,
		UserData:         want.UserData,
		ConfigDrive:      want.ConfigDrive,
		AvailabilityZone: want.AvailabilityZone,
		Metadata:         want.Metadata,
		Networks:         networksOf(want.PortIDs),
	}
	if want.RootVolumeID != "" {
		opts.ImageRef = ""
		opts.BlockDevice = []servers.BlockDevice{{
			SourceType: servers.SourceVolume, DestinationType: servers.DestinationVolume,
			UUID: want.RootVolumeID, DeleteOnTermination: true,
		}}
	}
	created, err := servers.Create(ctx, c.nova, withKey{opts, want.KeyName},
		servers.SchedulerHintOpts{Group: want.ServerGroupID}).Extract()
	if err != nil {
		return Server{}, err
	}
	return Server{ID: created.ID, Name: want.Name, Tags: want.Tags, Status: ServerBuild, Created: time.Now()}, nil
}

// withKey adds the name of a key pair to the create call.
type withKey struct {
	servers.CreateOpts
	keyName string
}

// ToServerCreateMap implements gophercloud's CreateOptsBuilder.
func (o withKey) ToServerCreateMap() (map[string]any, error) {
	body, err := o.CreateOpts.ToServerCreateMap()
	if err == nil && o.keyName != "" {
		body["server"].(map[string]any)["key_name"] = o.keyName
	}
	return body, err
}

func networksOf(portIDs []string) []servers.Network {
	networks := make([]servers.Network, 0, len(portIDs))
	for _, id := range portIDs {
		networks = append(networks, servers.Network{Port: id})
	}
	return networks
}

// DeleteServer asks for the end of a server; one that is gone is a success.
// Its ports are kept (they were made by us), its root volume goes along.
func (c *Compute) DeleteServer(ctx context.Context, id string) error {
	return IgnoreGone(servers.Delete(ctx, c.nova, id).ExtractErr())
}

// Server looks a server up by ID: the only proof of absence is its Gone.
func (c *Compute) Server(ctx context.Context, id string) (Server, error) {
	got, err := servers.Get(ctx, c.nova, id).Extract()
	if err != nil {
		return Server{}, err
	}
	return serverFrom(*got), nil
}

// ServersTagged lists the project's servers that carry a tag. Nova leaves out
// those in cells that are down (api-guide, "Handling down cells"): what is
// not in the list may still exist.
func (c *Compute) ServersTagged(ctx context.Context, tag string) ([]Server, error) {
	return c.list(ctx, servers.ListOpts{Tags: tag})
}

// ServersChanged lists the project's servers that changed since then, by Nova's clock,
// with those that were deleted: their status is DELETED (compute-api-ref, "List
// servers", changes-since).
func (c *Compute) ServersChanged(ctx context.Context, since time.Time) ([]Server, error) {
	return c.list(ctx, servers.ListOpts{ChangesSince: since.UTC().Format(time.RFC3339)})
}

func (c *Compute) list(ctx context.Context, opts servers.ListOpts) ([]Server, error) {
	pages, err := servers.List(c.nova, opts).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	found, err := servers.ExtractServers(pages)
	if err != nil {
		return nil, err
	}
	return convert(found, serverFrom), nil
}

func serverFrom(s servers.Server) Server {
	server := Server{
		ID: s.ID, Name: s.Name, Status: s.Status, TaskState: s.TaskState,
		Fault:            Fault{Code: s.Fault.Code, Message: s.Fault.Message},
		Addresses:        addressesFrom(s.Addresses),
		AvailabilityZone: s.AvailabilityZone,
		Created:          s.Created,
	}
	if s.Tags != nil {
		server.Tags = *s.Tags
	}
	return server
}

// addressesFrom flattens Nova's map of network name to addresses into an order
// that is the same every time: by network, IPv4 first.
func addressesFrom(byNetwork map[string]any) []Address {
	var addresses []Address
	for network, raw := range byNetwork {
		entries, _ := raw.([]any)
		for _, entry := range entries {
			fields, _ := entry.(map[string]any)
			text, _ := fields["addr"].(string)
			ip, err := netip.ParseAddr(text)
			if err != nil {
				continue
			}
			addresses = append(addresses, Address{Network: network, IP: ip, Floating: fields["OS-EXT-IPS:type"] == "floating"})
		}
	}
	slices.SortFunc(addresses, func(a, b Address) int {
		if by := strings.Compare(a.Network, b.Network); by != 0 {
			return by
		}
		return a.IP.Compare(b.IP) // IPv4 sorts before IPv6
	})
	return addresses
}

func convert[From, To any](from []From, one func(From) To) []To {
	to := make([]To, 0, len(from))
	for _, f := range from {
		to = append(to, one(f))
	}
	return to
}
