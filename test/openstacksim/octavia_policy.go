package openstacksim

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
)

// L7Policy is an Octavia L7 policy: what a listener does with a request that
// fits all of its rules.
type L7Policy struct {
	balanced
	Description    string  `json:"description"`
	ListenerID     string  `json:"listener_id"`
	Action         string  `json:"action"`
	Position       int     `json:"position"`
	RedirectPoolID *string `json:"redirect_pool_id"`
	RedirectURL    *string `json:"redirect_url"`
	RedirectPrefix *string `json:"redirect_prefix"`
	RedirectCode   *int    `json:"redirect_http_code"`
}

// lastPosition is octavia/common/constants.py, MAX_POLICY_POSITION.
const lastPosition = 2147483647

// policyRequest is a policy in a request, with what may be nested in it.
type policyRequest struct {
	Attributes json.RawMessage
	Pool       *poolRequest
	Rules      []json.RawMessage
}

// UnmarshalJSON takes the nested pool and rules out of the policy's attributes.
func (p *policyRequest) UnmarshalJSON(raw []byte) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return err
	}
	var nested struct {
		Pool  *poolRequest      `json:"redirect_pool"`
		Rules []json.RawMessage `json:"rules"`
	}
	if err := json.Unmarshal(raw, &nested); err != nil {
		return err
	}
	p.Pool, p.Rules = nested.Pool, nested.Rules
	delete(given, "redirect_pool")
	delete(given, "rules")
	var err error
	p.Attributes, err = json.Marshal(given)
	return err
}

// view is octavia/api/v2/types/l7policy.py, L7PolicyResponse.
func (p *L7Policy) view(c *Cloud) any {
	return &struct {
		L7Policy
		Rules []map[string]string `json:"rules"`
	}{*p, ids(c.rulesOfPolicy(p.ID))}
}

func (c *Cloud) l7Routes() {
	s := c.balancing.service
	c.on(s, "POST", "/l7policies", c.createPolicy)
	c.on(s, "PUT", "/l7policies/{id}", c.updatePolicy)
	c.on(s, "DELETE", "/l7policies/{id}", c.deletePolicy)
	c.on(s, "POST", "/l7policies/{policy}/rules", c.createL7Rule)
	c.on(s, "PUT", "/l7policies/{policy}/rules/{id}", c.updateL7Rule)
	c.on(s, "DELETE", "/l7policies/{policy}/rules/{id}", c.deleteL7Rule)
}

// policiesOf are the policies of a listener in their order.
func (c *Cloud) policiesOf(listener string) []*L7Policy {
	policies := c.balancing.policies.where(func(p *L7Policy) bool { return p.ListenerID == listener })
	slices.SortStableFunc(policies, func(a, b *L7Policy) int { return cmp.Compare(a.Position, b.Position) })
	return policies
}

// policiesTo are the policies that redirect to a pool.
func (c *Cloud) policiesTo(pool string) []*L7Policy {
	return c.balancing.policies.where(func(p *L7Policy) bool { return p.RedirectPoolID != nil && *p.RedirectPoolID == pool })
}

func (c *Cloud) policyParts(p *L7Policy) []*balanced {
	parts := []*balanced{&p.balanced}
	for _, r := range c.rulesOfPolicy(p.ID) {
		parts = append(parts, &r.balanced)
	}
	return parts
}

var policyAttributes = []string{"name", "description", "admin_state_up", "tags", "action", "position", "redirect_pool_id",
	"redirect_url", "redirect_prefix", "redirect_http_code"}

// addPolicy is octavia/api/v2/controllers/l7policy.py, post and _graph_create.
func (c *Cloud) addPolicy(l *Listener, want *policyRequest, pool *string) (*L7Policy, error) {
	p := &L7Policy{balanced: c.newBalanced("l7policy", l.ProjectID, l.balancer), Position: lastPosition}
	if _, err := decodeInto(want.Attributes, p, append(slices.Clone(policyAttributes), "listener_id", "project_id")...); err != nil {
		return nil, err
	}
	p.ListenerID = l.ID
	if pool != nil {
		p.RedirectPoolID = pool
	}
	if err := c.checkPolicy(l, p); err != nil {
		return nil, err
	}
	if err := checkBalancedQuota(c, c.balancing.policies, "l7policy", l.ProjectID); err != nil {
		return nil, err
	}
	c.balancing.policies.add(p)
	c.putPolicy(p, cmp.Or(p.Position, lastPosition))
	for _, raw := range want.Rules {
		if _, err := c.addL7Rule(p, raw); err != nil {
			c.dropPolicy(p)
			return nil, err
		}
	}
	return p, nil
}

// checkPolicy is octavia/common/validate.py, sanitize_l7policy_api_args: what
// does not go with the action is dropped, a pool or a URL chooses the action.
func (c *Cloud) checkPolicy(l *Listener, p *L7Policy) error {
	if l.Protocol == "PROMETHEUS" {
		return invalidBalancer("%s protocol listeners can not have child objects.", l.Protocol)
	}
	if p.Action == "REJECT" {
		p.RedirectPoolID, p.RedirectURL, p.RedirectPrefix, p.RedirectCode = nil, nil, nil, nil
		return nil
	}
	if p.RedirectPoolID != nil && (p.RedirectURL != nil || p.RedirectPrefix != nil) {
		return badPolicy("Cannot specify redirect_pool_id and redirect_url or redirect_prefix at the same time")
	}
	lack, known := map[string]string{
		"REDIRECT_TO_URL":  missing(p.RedirectURL, "redirect_url must not be None"),
		"REDIRECT_PREFIX":  missing(p.RedirectPrefix, "redirect_prefix must not be None"),
		"REDIRECT_TO_POOL": missing(p.RedirectPoolID, "redirect_pool_id or redirect_pool must not be None"),
	}[p.Action]
	switch {
	case !known:
		return refuse(http.StatusBadRequest, "", "Invalid input for field/attribute action. Value: '%s'.", p.Action)
	case lack != "":
		return badPolicy(lack)
	case p.RedirectPoolID != nil:
		p.RedirectCode = nil
		return c.checkListenerPool(l, *p.RedirectPoolID)
	case p.RedirectCode == nil: // _validate_create_l7policy
		found := http.StatusFound
		p.RedirectCode = &found
	}
	return nil
}

// missing is the text if the value is nil.
func missing(value *string, text string) string {
	if value == nil {
		return text
	}
	return ""
}

func badPolicy(text string) error {
	return refuse(http.StatusBadRequest, "", "Invalid L7 Policy arguments: %s", text)
}

// putPolicy gives a policy its place; the others of the listener move on
// (octavia/db/repositories.py, L7PolicyRepository: positions are 1, 2, 3 ...).
func (c *Cloud) putPolicy(p *L7Policy, position int) {
	policies := slices.DeleteFunc(c.policiesOf(p.ListenerID), func(other *L7Policy) bool { return other == p })
	i := min(max(position-1, 0), len(policies))
	for n, policy := range slices.Insert(policies, i, p) {
		policy.Position = n + 1
	}
}

func (c *Cloud) createPolicy(q *request) (any, error) {
	var on struct {
		Listener string `json:"listener_id"`
	}
	raw, err := q.inner("l7policy", &on)
	if err != nil {
		return nil, err
	}
	l, ok := c.balancing.listeners.of(q.project, on.Listener)
	if !ok {
		return nil, notBalanced("Listener", on.Listener)
	}
	lb, err := c.mutable(q, l.balancer)
	if err != nil {
		return nil, err
	}
	var want policyRequest
	if err := json.Unmarshal(raw, &want); err != nil {
		return nil, invalidBalancer("%v", err)
	}
	p, err := c.addPolicy(l, &want, nil)
	if err != nil {
		return nil, err
	}
	answer := p.view(c)
	c.pend(lb, pendingUpdate, append(c.policyParts(p), &l.balanced), nil)
	return wrap("l7policy", answer), nil
}

// changePolicy finds a policy that is to be changed, its load balancer and the
// listener that goes pending with it.
func (c *Cloud) changePolicy(q *request, id string) (*LoadBalancer, *L7Policy, *Listener, error) {
	p, ok := c.balancing.policies.of(q.project, id)
	if !ok {
		return nil, nil, nil, notBalanced("L7 Policy", id)
	}
	l, _ := c.balancing.listeners.get(p.ListenerID)
	lb, err := c.mutable(q, p.balancer)
	return lb, p, l, err
}

func (c *Cloud) updatePolicy(q *request) (any, error) {
	lb, p, l, err := c.changePolicy(q, q.id("id"))
	if err != nil {
		return nil, err
	}
	changed := *p
	given, err := q.decode("l7policy", &changed, policyAttributes...)
	if err != nil {
		return nil, err
	}
	if given.has("redirect_pool_id") && changed.RedirectPoolID != nil {
		changed.Action, changed.RedirectURL, changed.RedirectPrefix = "REDIRECT_TO_POOL", nil, nil
	}
	if err := c.checkPolicy(l, &changed); err != nil {
		return nil, err
	}
	*p = changed
	c.putPolicy(p, p.Position)
	c.pend(lb, pendingUpdate, []*balanced{&l.balanced, &p.balanced}, nil)
	return wrap("l7policy", p.view(c)), nil
}

func (c *Cloud) deletePolicy(q *request) (any, error) {
	lb, p, l, err := c.changePolicy(q, q.id("id"))
	if err != nil {
		return nil, err
	}
	p.ProvisioningStatus = pendingRemoval
	c.pend(lb, pendingUpdate, []*balanced{&l.balanced, &p.balanced}, func() { c.dropPolicy(p) })
	return nil, nil
}

func (c *Cloud) dropPolicy(p *L7Policy) {
	for _, r := range c.rulesOfPolicy(p.ID) {
		c.balancing.rules.drop(r.ID)
	}
	c.balancing.policies.drop(p.ID)
	for n, policy := range c.policiesOf(p.ListenerID) {
		policy.Position = n + 1
	}
}
