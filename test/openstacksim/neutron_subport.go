package openstacksim

import (
	"net/http"
	"slices"
)

// checkTrunked refuses a port that is part of a trunk
// (neutron/services/trunk/rules.py, TrunkPortValidator.validate).
func (c *Cloud) checkTrunked(p *Port) error {
	for _, t := range c.network.trunks.rows {
		if t.has(p.ID) {
			return refuse(http.StatusConflict, "TrunkPortInUse", "Port %s is in use by another trunk.", p.ID)
		}
		if t.PortID == p.ID {
			return parentInUse(p)
		}
	}
	return nil
}

func (t *Trunk) has(portID string) bool {
	return slices.ContainsFunc(t.SubPorts, func(s SubPort) bool { return s.PortID == portID })
}

// checkSubPorts is rules.py, SubPortsValidator, and neutron_lib/api/validators,
// validate_subports. That a segment is free on the trunk is said by a key of the
// database (exceptions.py, DuplicateSubPort).
func (c *Cloud) checkSubPorts(q *request, t *Trunk, more []SubPort) error {
	for i, s := range more {
		same := func(o SubPort) bool {
			return o.SegmentationType == s.SegmentationType && o.SegmentationID == s.SegmentationID
		}
		if slices.ContainsFunc(more[:i], func(o SubPort) bool { return o.PortID == s.PortID }) {
			return invalidInput("Non unique UUID for subport: '%s'", s.PortID)
		}
		if slices.ContainsFunc(more[:i], same) {
			return invalidInput("Segmentation ID '%d' for '%s' is not unique", s.SegmentationID, s.PortID)
		}
		if err := c.checkSubPort(q, t, s); err != nil {
			return err
		}
		if slices.ContainsFunc(t.SubPorts, same) {
			return refuse(http.StatusConflict, "DuplicateSubPort", "segmentation_type %s and segmentation_id %d already in use on trunk %s.",
				s.SegmentationType, s.SegmentationID, t.ID)
		}
	}
	return nil
}

func invalidInput(format string, args ...any) error {
	return refuse(http.StatusBadRequest, "InvalidInput", "Invalid input for operation: "+format+".", args...)
}

// checkSubPort is rules.py, SubPortsValidator._validate, in its order. Segments
// that are inherited from the network are not simulated.
func (c *Cloud) checkSubPort(q *request, t *Trunk, s SubPort) error {
	p, ok := c.network.ports.of(q.project, s.PortID)
	parent, _ := c.network.ports.get(t.PortID)
	switch {
	case s.PortID == t.PortID:
		return parentInUse(parent)
	case !ok:
		return refuse(http.StatusNotFound, "PortNotFound", "Port %s could not be found.", s.PortID)
	}
	inner, _ := c.network.networks.get(p.NetworkID)
	outer, _ := c.network.networks.get(parent.NetworkID)
	switch {
	case inner.MTU > outer.MTU:
		return refuse(http.StatusConflict, "SubPortMtuGreaterThanTrunkPortMtu", "MTU %d of subport %s cannot be greater than MTU %d of trunk %s.",
			inner.MTU, p.ID, outer.MTU, parent.ID)
	case s.SegmentationType == "":
		return invalidInput("Invalid subport details '%s': missing segmentation information. "+
			"Must specify both segmentation_id and segmentation_type", p.ID)
	case s.SegmentationType != "vlan":
		return invalidInput("Unknown segmentation_type '%s'", s.SegmentationType)
	case s.SegmentationID < 1 || s.SegmentationID > 4094:
		return invalidInput("Segmentation ID '%d' is not in range", s.SegmentationID)
	}
	if err := c.checkTrunked(p); err != nil {
		return err
	}
	if p.DeviceID != "" {
		return refuse(http.StatusConflict, "PortInUse", "Unable to complete operation on port %s for network %s. "+
			"Port already has an attached device %s.", p.ID, p.NetworkID, p.DeviceID)
	}
	return nil
}

// checkNotTrunked keeps ports of trunks from being deleted (rules.py,
// enforce_port_deletion_rules).
func (c *Cloud) checkNotTrunked(p *Port) error {
	for _, t := range c.network.trunks.rows {
		if t.has(p.ID) {
			return refuse(http.StatusConflict, "PortInUseAsSubPort", "Port %s is currently a subport for trunk %s.", p.ID, t.ID)
		}
		if t.PortID == p.ID {
			return refuse(http.StatusConflict, "PortInUseAsTrunkParent", "Port %s is currently a parent port for trunk %s.", p.ID, t.ID)
		}
	}
	return nil
}

// trunkDetails is what a parent port shows of its trunk (plugin.py,
// _extend_port_trunk_details).
type trunkDetails struct {
	TrunkID  string          `json:"trunk_id"`
	SubPorts []subPortDetail `json:"sub_ports"`
}

type subPortDetail struct {
	SubPort
	MACAddress string `json:"mac_address"`
}

// view adds the trunk to a port that is the parent of one.
func (p *Port) view(c *Cloud) any {
	shown := &struct {
		Port
		Trunk *trunkDetails `json:"trunk_details,omitempty"`
	}{Port: *p}
	for _, t := range c.network.trunks.rows {
		if t.PortID != p.ID {
			continue
		}
		shown.Trunk = &trunkDetails{TrunkID: t.ID, SubPorts: []subPortDetail{}}
		for _, s := range t.SubPorts {
			if sub, ok := c.network.ports.get(s.PortID); ok {
				shown.Trunk.SubPorts = append(shown.Trunk.SubPorts, subPortDetail{s, sub.MACAddress})
			}
		}
	}
	return shown
}
