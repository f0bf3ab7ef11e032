package openstacksim

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// serverRequest is the body of POST /servers
// (nova/api/openstack/compute/schemas/servers.py).
type serverRequest struct {
	Name        string            `json:"name"`
	ImageRef    string            `json:"imageRef"`
	FlavorRef   string            `json:"flavorRef"`
	Networks    json.RawMessage   `json:"networks"`
	UserData    string            `json:"user_data"`
	ConfigDrive any               `json:"config_drive"`
	Tags        []string          `json:"tags"`
	Metadata    map[string]string `json:"metadata"`
	KeyName     string            `json:"key_name"`
	Zone        string            `json:"availability_zone"`
	Volumes     []blockDevice     `json:"block_device_mapping_v2"`
	Groups      []struct {
		Name string `json:"name"`
	} `json:"security_groups"`
	MinCount int `json:"min_count"`
	MaxCount int `json:"max_count"`
}

// blockDevice is an item of block_device_mapping_v2.
type blockDevice struct {
	SourceType          string `json:"source_type"`
	DestinationType     string `json:"destination_type"`
	UUID                string `json:"uuid"`
	BootIndex           any    `json:"boot_index"`
	VolumeSize          int    `json:"volume_size"`
	VolumeType          string `json:"volume_type"`
	DeleteOnTermination bool   `json:"delete_on_termination"`
}

type serverNetwork struct {
	UUID    string `json:"uuid"`
	Port    string `json:"port"`
	FixedIP string `json:"fixed_ip"`
}

var serverAttributes = []string{"name", "imageRef", "flavorRef", "networks", "user_data", "config_drive", "metadata", "key_name",
	"availability_zone", "block_device_mapping_v2", "security_groups", "min_count", "max_count", "adminPass", "OS-DCF:diskConfig", "description"}

// createServer is nova/api/openstack/compute/servers.py, create.
func (c *Cloud) createServer(q *request) (any, error) {
	var want serverRequest
	if err := c.readServerRequest(q, &want); err != nil {
		return nil, err
	}
	s, networks, err := c.newServer(q, &want)
	if err != nil {
		return nil, err
	}
	if err := c.checkComputeQuota(s); err != nil {
		return nil, err
	}
	for _, n := range networks {
		if n.Port != "" {
			s.PortIDs = append(s.PortIDs, n.Port)
		}
	}
	c.reserveVolumes(s, want.Volumes)
	c.compute.servers.add(s)
	c.build(s, networks, want.Volumes)
	return reply{status: http.StatusAccepted, body: wrap("server", map[string]any{"id": s.ID, "links": s.links(c),
		"OS-DCF:diskConfig": "MANUAL", "adminPass": "sim" + s.ID[:9], "security_groups": []any{wrap("name", "default")}})}, nil
}

func badServer(format string, args ...any) error {
	return refuse(http.StatusBadRequest, "", format, args...)
}

// unexpected words the refusal of an attribute as Nova's schemas do
// (nova/api/validation/validators.py).
func unexpected(err error) error {
	if name, found := strings.CutPrefix(asAPIError(err).message, "Unrecognized attribute(s) "); found {
		return badServer("Additional properties are not allowed (%s was unexpected)", name)
	}
	return err
}

// readServerRequest checks the body against the schema of the microversion.
func (c *Cloud) readServerRequest(q *request, want *serverRequest) error {
	allowed := slices.Clone(serverAttributes)
	if q.minor >= 52 {
		allowed = append(allowed, "tags")
	}
	given, err := q.decode("server", want, allowed...)
	if err != nil {
		return unexpected(err)
	}
	if want.Name == "" || len(want.Name) > 255 || want.FlavorRef == "" {
		return badServer("Invalid input for field/attribute server. 'name' and 'flavorRef' are required properties")
	}
	if q.minor >= 37 && !given.has("networks") {
		return badServer("Invalid input for field/attribute server. 'networks' is a required property")
	}
	if len(want.UserData) > 65535 {
		return badServer("Invalid input for field/attribute user_data. Value: %.20s.... '%.20s...' is too long", want.UserData, want.UserData)
	}
	if _, err := base64.StdEncoding.DecodeString(want.UserData); err != nil {
		return badServer("Invalid input for field/attribute user_data. Value: %.20s.... '%.20s...' is not a 'base64'", want.UserData, want.UserData)
	}
	if err := checkMetadata(want.Metadata); err != nil {
		return err
	}
	return checkTags(want.Tags)
}

// checkMetadata is nova/api/validation/parameter_types.py, metadata.
func checkMetadata(metadata map[string]string) error {
	for name, value := range metadata {
		if len(value) > 255 {
			return badServer("Invalid input for field/attribute %s. Value: %s. '%s' is too long", name, value, value)
		}
	}
	return nil
}

// checkTags is nova/api/validation/parameter_types.py, tag.
func checkTags(tags []string) error {
	if len(tags) > maxTags {
		return badServer("Invalid input for field/attribute tags. Value is too long")
	}
	for _, tag := range tags {
		if tag == "" || len(tag) > 60 || strings.ContainsAny(tag, "/,") {
			return badServer("Invalid input for field/attribute tags. Value: %s. '%s' does not match '^[^,/]*$' or is too long", tag, tag)
		}
	}
	return nil
}

// newServer looks everything up that the request names.
func (c *Cloud) newServer(q *request, want *serverRequest) (*Server, []serverNetwork, error) {
	flavor, ok := c.compute.flavors.get(flavorID(want.FlavorRef))
	if !ok {
		return nil, nil, badServer("Flavor %s could not be found.", want.FlavorRef)
	}
	if err := c.checkReferences(want); err != nil {
		return nil, nil, err
	}
	group, err := c.hintedGroup(q)
	if err != nil {
		return nil, nil, err
	}
	if err := c.checkVolumes(q, want); err != nil {
		return nil, nil, err
	}
	networks, err := c.checkNetworks(q, want.Networks)
	if err != nil {
		return nil, nil, err
	}
	if want.Metadata == nil {
		want.Metadata = map[string]string{}
	}
	return &Server{ID: c.newID("server"), Name: want.Name, ProjectID: q.project, UserID: q.token.user.id, Status: "BUILD",
		TaskState: "scheduling", Metadata: want.Metadata, Tags: want.Tags, ImageID: want.ImageRef, Flavor: *flavor, WantedZone: want.Zone,
		KeyName: want.KeyName, ConfigDrive: isTrue(want.ConfigDrive), UserData: want.UserData, GroupID: group, Created: c.at, Updated: c.at}, networks, nil
}

// checkReferences looks for the image, the key and the zone; of zones only those
// with a host that is up count (nova/compute/api.py, _provision_instances).
func (c *Cloud) checkReferences(want *serverRequest) error {
	if want.ImageRef != "" {
		if _, ok := c.image.images.get(want.ImageRef); !ok {
			return badServer("Can not find requested image")
		}
	} else if len(want.Volumes) == 0 {
		return badServer("Invalid imageRef provided.")
	}
	if want.KeyName != "" {
		if _, ok := c.compute.keypairs.get(want.KeyName); !ok {
			return badServer("Invalid key_name provided.")
		}
	}
	if want.Zone != "" && (!slices.Contains(c.compute.zones, want.Zone) || c.compute.zoneDown[want.Zone]) {
		return badServer("The requested availability zone is not available")
	}
	return nil
}

func isTrue(v any) bool { return strings.EqualFold(fmt.Sprint(v), "true") }

// flavorID takes the last part of a reference, which may be a URL.
func flavorID(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

// checkNetworks is nova/network/neutron.py, validate_networks.
func (c *Cloud) checkNetworks(q *request, raw json.RawMessage) ([]serverNetwork, error) {
	var networks []serverNetwork
	if len(raw) == 0 || string(raw) == `"none"` || string(raw) == `"auto"` {
		return nil, nil
	}
	if err := json.Unmarshal(raw, &networks); err != nil {
		return nil, badServer("Invalid input for field/attribute networks: %v", err)
	}
	for _, n := range networks {
		if err := c.checkAttachment(q, n); err != nil {
			return nil, err
		}
	}
	return networks, nil
}

func (c *Cloud) checkAttachment(q *request, n serverNetwork) error {
	if n.Port == "" {
		net, ok := c.network.networks.get(n.UUID)
		if !ok || !c.sees(q, net) {
			return badServer("Network %s could not be found.", n.UUID)
		}
		if len(net.Subnets) == 0 {
			return badServer("Network %s requires a subnet in order to boot instances on.", n.UUID)
		}
		return nil
	}
	p, ok := c.network.ports.of(q.project, n.Port)
	switch {
	case !ok:
		return badServer("Port id %s could not be found.", n.Port)
	case p.DeviceID != "":
		return refuse(http.StatusConflict, "", "Port %s is still in use.", n.Port)
	case len(p.FixedIPs) == 0:
		return badServer("Port %s requires a FixedIP in order to be used.", n.Port)
	}
	return nil
}
