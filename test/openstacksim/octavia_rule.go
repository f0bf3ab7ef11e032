package openstacksim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
)

// L7Rule is an Octavia L7 rule: a condition of a policy. It has no name.
type L7Rule struct {
	balanced
	Type        string  `json:"type"`
	CompareType string  `json:"compare_type"`
	Key         *string `json:"key"`
	Value       string  `json:"value"`
	Invert      bool    `json:"invert"`

	policy string
}

func (r *L7Rule) label() string { return r.Type + ":" + r.CompareType + ":" + r.Value }

// view is octavia/api/v2/types/l7rule.py, L7RuleResponse.
func (r *L7Rule) view(*Cloud) any {
	return &struct {
		L7Rule
		Name *string `json:"name,omitempty"` // hides that of balanced
	}{L7Rule: *r}
}

func (c *Cloud) rulesOfPolicy(policy string) []*L7Rule {
	return c.balancing.rules.where(func(r *L7Rule) bool { return r.policy == policy })
}

var l7RuleAttributes = []string{"admin_state_up", "tags", "type", "compare_type", "key", "value", "invert"}

// addL7Rule is octavia/api/v2/controllers/l7rule.py, post and _graph_create.
func (c *Cloud) addL7Rule(p *L7Policy, raw json.RawMessage) (*L7Rule, error) {
	r := &L7Rule{balanced: c.newBalanced("l7rule", p.ProjectID, p.balancer), policy: p.ID}
	if _, err := decodeInto(raw, r, append(slices.Clone(l7RuleAttributes), "project_id")...); err != nil {
		return nil, err
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	if len(c.rulesOfPolicy(p.ID)) >= 50 { // octavia/common/constants.py, MAX_L7RULES_PER_L7POLICY
		return nil, refuse(http.StatusConflict, "", "Too many rules on L7 policy %s", p.ID)
	}
	if err := checkBalancedQuota(c, c.balancing.rules, "l7rule", p.ProjectID); err != nil {
		return nil, err
	}
	return c.balancing.rules.add(r), nil
}

var texts = []string{"EQUAL_TO", "STARTS_WITH", "ENDS_WITH", "CONTAINS", "REGEX"}

// comparisons are the ways to compare that fit each type (octavia/common/validate.py, l7rule_data).
var comparisons = map[string][]string{
	"HOST_NAME": texts, "PATH": texts, "HEADER": texts, "COOKIE": texts, "SSL_DN_FIELD": texts,
	"FILE_TYPE": {"EQUAL_TO", "REGEX"}, "SSL_CONN_HAS_CERT": {"EQUAL_TO"}, "SSL_VERIFY_RESULT": {"EQUAL_TO"},
}

func (r *L7Rule) check() error {
	allowed, ok := comparisons[r.Type]
	if !ok {
		return refuse(http.StatusBadRequest, "", "Invalid input for field/attribute type. Value: '%s'.", r.Type)
	}
	if !slices.Contains(texts, r.CompareType) {
		return refuse(http.StatusBadRequest, "", "Invalid input for field/attribute compare_type. Value: '%s'.", r.CompareType)
	}
	needsKey := slices.Contains([]string{"HEADER", "COOKIE", "SSL_DN_FIELD"}, r.Type)
	switch {
	case r.Value == "":
		return badL7Rule("L7 rule type requires a value")
	case needsKey && text(r.Key) == "":
		return badL7Rule("L7 rule type requires a key")
	case !slices.Contains(allowed, r.CompareType):
		return badL7Rule("invalid comparison type for rule type")
	}
	if _, err := regexp.Compile(r.Value); r.CompareType == "REGEX" && err != nil {
		return badL7Rule(fmt.Sprintf("Invalid regular expression: %v", err))
	}
	return nil
}

func badL7Rule(text string) error {
	return refuse(http.StatusBadRequest, "", "Error parsing L7Rule: Invalid L7 Rule: %s", text)
}

func (c *Cloud) createL7Rule(q *request) (any, error) {
	lb, p, l, err := c.changePolicy(q, q.id("policy"))
	if err != nil {
		return nil, err
	}
	raw, err := q.inner("rule", &struct{}{})
	if err != nil {
		return nil, err
	}
	r, err := c.addL7Rule(p, raw)
	if err != nil {
		return nil, err
	}
	answer := r.view(c)
	c.pend(lb, pendingUpdate, []*balanced{&l.balanced, &p.balanced, &r.balanced}, nil)
	return wrap("rule", answer), nil
}

// changeL7Rule finds a rule that is to be changed, its load balancer and what
// goes pending with it.
func (c *Cloud) changeL7Rule(q *request) (*LoadBalancer, *L7Rule, []*balanced, error) {
	lb, p, l, err := c.changePolicy(q, q.id("policy"))
	if err != nil {
		return nil, nil, nil, err
	}
	r, ok := c.balancing.rules.get(q.id("id"))
	if !ok || r.policy != p.ID {
		return nil, nil, nil, notBalanced("L7 Rule", q.id("id"))
	}
	return lb, r, []*balanced{&l.balanced, &p.balanced}, nil
}

func (c *Cloud) updateL7Rule(q *request) (any, error) {
	lb, r, parts, err := c.changeL7Rule(q)
	if err != nil {
		return nil, err
	}
	changed := *r
	if _, err := q.decode("rule", &changed, l7RuleAttributes...); err != nil {
		return nil, err
	}
	if err := changed.check(); err != nil {
		return nil, err
	}
	*r = changed
	c.pend(lb, pendingUpdate, append(parts, &r.balanced), nil)
	return wrap("rule", r.view(c)), nil
}

func (c *Cloud) deleteL7Rule(q *request) (any, error) {
	lb, r, parts, err := c.changeL7Rule(q)
	if err != nil {
		return nil, err
	}
	r.ProvisioningStatus = pendingRemoval
	c.pend(lb, pendingUpdate, append(parts, &r.balanced), func() { c.balancing.rules.drop(r.ID) })
	return nil, nil
}
