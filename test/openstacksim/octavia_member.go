package openstacksim

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/netip"
	"slices"
)

// Member is an Octavia pool member.
type Member struct {
	balanced
	Address        string  `json:"address"`
	ProtocolPort   int     `json:"protocol_port"`
	Weight         int     `json:"weight"`
	Backup         bool    `json:"backup"`
	SubnetID       *string `json:"subnet_id"`
	MonitorAddress *string `json:"monitor_address"`
	MonitorPort    *int    `json:"monitor_port"`

	pool string
}

func (m *Member) view(*Cloud) any { copied := *m; return &copied }

func (c *Cloud) membersOf(pool string) []*Member {
	return c.balancing.members.where(func(m *Member) bool { return m.pool == pool })
}

var memberAttributes = []string{"name", "admin_state_up", "tags", "weight", "backup", "monitor_address", "monitor_port"}

// readMember reads one member of a request, with the defaults of
// octavia/api/v2/types/member.py, MemberPOST.
func (c *Cloud) readMember(q *request, p *Pool, raw json.RawMessage) (*Member, error) {
	m := &Member{balanced: c.newBalanced("member", p.ProjectID, p.balancer), Weight: 1, pool: p.ID}
	if _, err := decodeInto(raw, m, append(slices.Clone(memberAttributes), "address", "protocol_port", "subnet_id", "project_id")...); err != nil {
		return nil, err
	}
	if _, err := netip.ParseAddr(m.Address); err != nil {
		return nil, refuse(http.StatusBadRequest, "", "Invalid input for field/attribute address. Value: '%s'. Value should be IPv4 or IPv6 format", m.Address)
	}
	if m.ProtocolPort < 1 || m.ProtocolPort > 65535 || m.Weight < 0 || m.Weight > 256 {
		return nil, refuse(http.StatusBadRequest, "", "Invalid input for field/attribute protocol_port or weight of member %s.", m.Address)
	}
	if m.SubnetID != nil {
		if s, ok := c.network.subnets.get(*m.SubnetID); !ok || !c.sees(q, s) {
			return nil, notBalanced("Subnet", *m.SubnetID)
		}
	}
	return m, nil
}

// same says whether two members of a pool are one to Octavia.
func (m *Member) same(other *Member) bool {
	return m.Address == other.Address && m.ProtocolPort == other.ProtocolPort
}

// memberAt is the member of the pool that is the same as m.
func (c *Cloud) memberAt(m *Member) *Member {
	for _, other := range c.membersOf(m.pool) {
		if other.same(m) {
			return other
		}
	}
	return nil
}

func duplicateMember(m *Member) error {
	return refuse(http.StatusConflict, "", "Another member on this pool is already using ip %s on protocol_port %d", m.Address, m.ProtocolPort)
}

func (c *Cloud) addMember(q *request, p *Pool, raw json.RawMessage) (*Member, error) {
	m, err := c.readMember(q, p, raw)
	if err != nil {
		return nil, err
	}
	if c.memberAt(m) != nil {
		return nil, duplicateMember(m)
	}
	if err := checkBalancedQuota(c, c.balancing.members, "member", p.ProjectID); err != nil {
		return nil, err
	}
	return c.balancing.members.add(m), nil
}

func (c *Cloud) createMember(q *request) (any, error) {
	lb, p, parts, err := c.changePool(q, q.id("pool"))
	if err != nil {
		return nil, err
	}
	raw, err := q.inner("member", &struct{}{})
	if err != nil {
		return nil, err
	}
	m, err := c.addMember(q, p, raw)
	if err != nil {
		return nil, err
	}
	answer := m.view(c)
	c.pend(lb, pendingUpdate, append(parts, &m.balanced), nil)
	return wrap("member", answer), nil
}

// setMembers is octavia/api/v2/controllers/member.py, MembersController.put:
// members are told apart by address and port, others go unless additive_only.
func (c *Cloud) setMembers(q *request) (any, error) {
	lb, p, parts, err := c.changePool(q, q.id("pool"))
	if err != nil {
		return nil, err
	}
	wanted, err := c.readMembers(q, p)
	if err != nil {
		return nil, err
	}
	var leaving []*Member
	if !isTrue(q.query.Get("additive_only")) {
		leaving = c.membersBeside(p, wanted)
	}
	if err := c.checkMemberQuota(p, wanted, leaving); err != nil {
		return nil, err
	}
	for _, m := range leaving {
		m.ProvisioningStatus = pendingRemoval
		parts = append(parts, &m.balanced)
	}
	for _, m := range wanted {
		parts = append(parts, &c.putMember(m).balanced)
	}
	if len(wanted)+len(leaving) > 0 {
		c.pend(lb, pendingUpdate, parts, func() { c.dropMembers(leaving) })
	}
	return reply{status: http.StatusAccepted}, nil
}

// membersBeside are the members of the pool that are none of those wanted.
func (c *Cloud) membersBeside(p *Pool, wanted []*Member) []*Member {
	return slices.DeleteFunc(c.membersOf(p.ID), func(m *Member) bool {
		return slices.ContainsFunc(wanted, m.same)
	})
}

// checkMemberQuota counts what a batch adds on the whole.
func (c *Cloud) checkMemberQuota(p *Pool, wanted, leaving []*Member) error {
	more := -len(leaving)
	for _, m := range wanted {
		if c.memberAt(m) == nil {
			more++
		}
	}
	limit, limited := c.network.quotas["member"]
	have := c.balancing.members.count(func(m *Member) bool { return m.ProjectID == p.ProjectID })
	if limited && more > 0 && have+more > limit {
		return overBalancedQuota("member")
	}
	return nil
}

func (c *Cloud) readMembers(q *request, p *Pool) ([]*Member, error) {
	var body struct {
		Members []json.RawMessage `json:"members"`
	}
	if err := json.Unmarshal(q.raw, &body); err != nil {
		return nil, invalidBalancer("%v", err)
	}
	var members []*Member
	for _, raw := range body.Members {
		m, err := c.readMember(q, p, raw)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(members, m.same) {
			return nil, duplicateMember(m)
		}
		members = append(members, m)
	}
	return members, nil
}

// putMember adds a member or gives the attributes to the one that is there. Those
// with a default get it, name and tags stay (octavia/api/v2/types/member.py,
// MemberPOST); the subnet cannot be changed.
func (c *Cloud) putMember(m *Member) *Member {
	old := c.memberAt(m)
	if old == nil {
		return c.balancing.members.add(m)
	}
	m.ID, m.CreatedAt, m.SubnetID = old.ID, old.CreatedAt, old.SubnetID
	m.ProvisioningStatus, m.OperatingStatus = old.ProvisioningStatus, old.OperatingStatus
	m.Name = cmp.Or(m.Name, old.Name)
	if len(m.Tags) == 0 {
		m.Tags = old.Tags
	}
	*old = *m
	return old
}

func (c *Cloud) dropMembers(members []*Member) {
	for _, m := range members {
		c.balancing.members.drop(m.ID)
	}
}

func (c *Cloud) changeMember(q *request) (*LoadBalancer, *Member, []*balanced, error) {
	m, ok := c.balancing.members.of(q.project, q.id("id"))
	if !ok || m.pool != q.id("pool") {
		return nil, nil, nil, notBalanced("Member", q.id("id"))
	}
	lb, _, parts, err := c.changePool(q, m.pool)
	return lb, m, parts, err
}

func (c *Cloud) updateMember(q *request) (any, error) {
	lb, m, parts, err := c.changeMember(q)
	if err != nil {
		return nil, err
	}
	changed := *m
	if _, err := q.decode("member", &changed, memberAttributes...); err != nil {
		return nil, err
	}
	*m = changed
	c.pend(lb, pendingUpdate, append(parts, &m.balanced), nil)
	return wrap("member", m.view(c)), nil
}

func (c *Cloud) deleteMember(q *request) (any, error) {
	lb, m, parts, err := c.changeMember(q)
	if err != nil {
		return nil, err
	}
	m.ProvisioningStatus = pendingRemoval
	c.pend(lb, pendingUpdate, append(parts, &m.balanced), func() { c.dropMembers([]*Member{m}) })
	return nil, nil
}
