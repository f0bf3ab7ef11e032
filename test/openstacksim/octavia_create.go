package openstacksim

import (
	"encoding/json"
	"net/http"
	"slices"
)

// balancerRequest is what POST /loadbalancers has beside the attributes of the
// load balancer: its whole tree.
type balancerRequest struct {
	Listeners []listenerRequest `json:"listeners"`
	Pools     []poolRequest     `json:"pools"`
}

type listenerRequest struct {
	Attributes json.RawMessage
	Pool       *poolRequest
	Policies   []policyRequest
}

type poolRequest struct {
	Attributes json.RawMessage
	Name       string
	Members    []json.RawMessage
	Monitor    json.RawMessage
	size       int // number of attributes
}

// UnmarshalJSON takes the nested pool out of the listener's attributes.
func (l *listenerRequest) UnmarshalJSON(raw []byte) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return err
	}
	if nested, ok := given["default_pool"]; ok {
		l.Pool = new(poolRequest)
		if err := json.Unmarshal(nested, l.Pool); err != nil {
			return err
		}
	}
	if nested, ok := given["l7policies"]; ok {
		if err := json.Unmarshal(nested, &l.Policies); err != nil {
			return err
		}
	}
	delete(given, "default_pool")
	delete(given, "l7policies")
	var err error
	l.Attributes, err = json.Marshal(given)
	return err
}

// UnmarshalJSON takes the nested members and monitor out of the pool's attributes.
func (p *poolRequest) UnmarshalJSON(raw []byte) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return err
	}
	p.size = len(given)
	p.Name = fields(given).text("name")
	if nested, ok := given["members"]; ok {
		if err := json.Unmarshal(nested, &p.Members); err != nil {
			return err
		}
	}
	if nested := given["healthmonitor"]; string(nested) != "null" {
		p.Monitor = nested
	}
	delete(given, "members")
	delete(given, "healthmonitor")
	var err error
	p.Attributes, err = json.Marshal(given)
	return err
}

// createBalancer is octavia/api/v2/controllers/load_balancer.py, post.
func (c *Cloud) createBalancer(q *request) (any, error) {
	l := &LoadBalancer{balanced: c.newBalanced("loadbalancer", q.project, ""), Provider: "amphora", MoreVIPs: []VIP{}}
	if _, err := q.decode("loadbalancer", l, "name", "description", "admin_state_up", "tags", "vip_address", "vip_port_id",
		"vip_subnet_id", "vip_network_id", "vip_qos_policy_id", "provider", "flavor_id", "availability_zone", "project_id",
		"additional_vips", "listeners", "pools"); err != nil {
		return nil, err
	}
	var tree struct {
		LoadBalancer balancerRequest `json:"loadbalancer"`
	}
	if err := json.Unmarshal(q.raw, &tree); err != nil {
		return nil, invalidBalancer("%v", err)
	}
	if l.Provider != "amphora" && l.Provider != "octavia" && l.Provider != "" {
		return nil, refuse(http.StatusBadRequest, "", "Provider '%s' is not enabled.", l.Provider)
	}
	if err := checkBalancedQuota(c, c.balancing.balancers, "loadbalancer", q.project); err != nil {
		return nil, err
	}
	if err := c.giveVIP(q, l); err != nil {
		return nil, err
	}
	if err := c.plant(q, l, &tree.LoadBalancer); err != nil {
		c.dropBalancer(l)
		return nil, err
	}
	c.balancing.balancers.add(l)
	answer := c.fullBalancer(l)
	c.pend(l, pendingCreate, c.whole(l.ID), nil)
	return wrap("loadbalancer", answer), nil
}

// fullBalancer is the answer to a create, LoadBalancerFullResponse in
// octavia/api/v2/types: what hangs on it is there with all its attributes.
func (c *Cloud) fullBalancer(l *LoadBalancer) any {
	full := &struct {
		LoadBalancer
		Listeners []any `json:"listeners"`
		Pools     []any `json:"pools"`
	}{*l, []any{}, []any{}}
	for _, x := range c.listenersOf(l.ID) {
		full.Listeners = append(full.Listeners, *x)
	}
	for _, p := range c.poolsOf(l.ID) {
		pool := struct {
			Pool
			Members []Member       `json:"members"`
			Monitor *HealthMonitor `json:"healthmonitor"`
		}{Pool: *p, Members: []Member{}}
		for _, m := range c.membersOf(p.ID) {
			pool.Members = append(pool.Members, *m)
		}
		if h := c.monitorOf(p.ID); h != nil {
			copied := *h
			pool.Monitor = &copied
		}
		full.Pools = append(full.Pools, pool)
	}
	return full
}

// giveVIP uses the port that is given or makes one in the subnet or network
// (octavia/network/drivers/neutron/allowed_address_pairs.py, allocate_vip).
func (c *Cloud) giveVIP(q *request, l *LoadBalancer) error {
	if l.VIPPortID != "" {
		p, ok := c.network.ports.of(q.project, l.VIPPortID)
		if !ok {
			return refuse(http.StatusBadRequest, "", "Port %s not found.", l.VIPPortID)
		}
		l.VIPNetworkID = p.NetworkID
		if len(p.FixedIPs) > 0 {
			l.VIPAddress, l.VIPSubnetID = p.FixedIPs[0].IPAddress, p.FixedIPs[0].SubnetID
		}
		return nil
	}
	if l.VIPSubnetID != "" {
		s, ok := c.network.subnets.get(l.VIPSubnetID)
		if !ok || !c.sees(q, s) {
			return refuse(http.StatusBadRequest, "", "Subnet %s not found.", l.VIPSubnetID)
		}
		l.VIPNetworkID = s.NetworkID
	}
	n, ok := c.network.networks.get(l.VIPNetworkID)
	switch {
	case l.VIPNetworkID == "":
		return invalidBalancer("VIP must contain one of: vip_port_id, vip_network_id, vip_subnet_id.")
	case !ok || !c.sees(q, n):
		return refuse(http.StatusBadRequest, "", "Network %s not found.", l.VIPNetworkID)
	case len(n.Subnets) == 0:
		return invalidBalancer("Supplied network does not contain a subnet.")
	}
	return c.makeVIP(l, n)
}

func (c *Cloud) makeVIP(l *LoadBalancer, n *Network) error {
	if err := c.checkQuota("port", l.ProjectID); err != nil {
		return refuse(http.StatusInternalServerError, "", "Error creating port on network %s: %s", n.ID, asAPIError(err).message)
	}
	p := c.newPort(l.ProjectID)
	p.Name, p.NetworkID, p.DeviceOwner, p.DeviceID, p.AdminStateUp = "octavia-lb-"+l.ID, n.ID, ownerOctavia, "lb-"+l.ID, false
	want := []FixedIP{{l.VIPSubnetID, l.VIPAddress}}
	for _, more := range l.MoreVIPs {
		want = append(want, FixedIP{more.SubnetID, more.Address})
	}
	if err := c.checkVIPs(n, want); err != nil {
		return err
	}
	var err error
	if p.FixedIPs, err = c.allocate(n, want, want[0] == FixedIP{}, ""); err != nil {
		return refuse(http.StatusInternalServerError, "", "Error creating port on network %s: %s", n.ID, asAPIError(err).message)
	}
	c.network.ports.add(p)
	l.VIPPortID, l.ownsPort = p.ID, true
	l.VIPAddress, l.VIPSubnetID = p.FixedIPs[0].IPAddress, p.FixedIPs[0].SubnetID
	l.MoreVIPs = []VIP{}
	for _, ip := range p.FixedIPs[1:] {
		l.MoreVIPs = append(l.MoreVIPs, VIP{ip.SubnetID, ip.IPAddress})
	}
	return nil
}

// checkVIPs is _validate_subnets_share_network_but_no_duplicates of
// octavia/api/v2/controllers/load_balancer.py.
func (c *Cloud) checkVIPs(n *Network, vips []FixedIP) error {
	seen := map[string]bool{}
	for _, vip := range vips {
		switch {
		case seen[vip.SubnetID]:
			return invalidBalancer("Duplicate VIP subnet(s) specified. Only one IP can be bound per subnet.")
		case len(vips) > 1 && !slices.Contains(n.Subnets, vip.SubnetID):
			return invalidBalancer("All VIP subnets must belong to the same network.")
		}
		seen[vip.SubnetID] = true
	}
	return nil
}

// plant is _graph_create of the same file: pools first, each with a name, then
// listeners with their policies; a pool of nothing but its name refers to another.
func (c *Cloud) plant(q *request, l *LoadBalancer, tree *balancerRequest) error {
	pools := tree.Pools
	for _, x := range tree.Listeners {
		for _, p := range x.pools() {
			if p.Name == "" {
				return invalidBalancer("Pools must be named when creating a fully populated loadbalancer.")
			}
			if p.size > 1 {
				pools = append(pools, *p)
			}
		}
	}
	byName, err := c.plantPools(q, l, pools)
	if err != nil {
		return err
	}
	for _, want := range tree.Listeners {
		if err := c.plantListener(l, &want, byName); err != nil {
			return err
		}
	}
	return nil
}

// pools are those that a listener and its policies name.
func (l *listenerRequest) pools() []*poolRequest {
	var pools []*poolRequest
	if l.Pool != nil {
		pools = append(pools, l.Pool)
	}
	for _, p := range l.Policies {
		if p.Pool != nil {
			pools = append(pools, p.Pool)
		}
	}
	return pools
}

func (c *Cloud) plantListener(lb *LoadBalancer, want *listenerRequest, byName map[string]string) error {
	for _, p := range want.pools() {
		if byName[p.Name] == "" {
			return invalidBalancer("Pool '%s' was referenced but no full definition was found.", p.Name)
		}
	}
	l, err := c.addListener(lb, want.Attributes)
	if err != nil {
		return err
	}
	if want.Pool != nil {
		id := byName[want.Pool.Name]
		l.DefaultPoolID = &id
	}
	for _, policy := range want.Policies {
		var pool *string
		if policy.Pool != nil {
			id := byName[policy.Pool.Name]
			pool = &id
		}
		if _, err := c.addPolicy(l, &policy, pool); err != nil {
			return err
		}
	}
	return nil
}

// plantPools returns the IDs of the new pools by their names.
func (c *Cloud) plantPools(q *request, l *LoadBalancer, pools []poolRequest) (map[string]string, error) {
	byName := map[string]string{}
	for _, want := range pools {
		if byName[want.Name] != "" {
			return nil, invalidBalancer("Pool names must be unique when creating a fully populated loadbalancer.")
		}
		p, err := c.addPool(q, l, &want)
		if err != nil {
			return nil, err
		}
		byName[want.Name] = p.ID
	}
	return byName, nil
}
