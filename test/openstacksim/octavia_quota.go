package openstacksim

import (
	"encoding/json"
	"net/http"
)

// balancedQuotas are the kinds that Octavia limits, with the names that its
// refusals have for them (octavia/api/v2/types/quotas.py; octavia/common/data_models.py, _name).
var balancedQuotas = map[string]string{"loadbalancer": "Load Balancer", "listener": "Listener", "pool": "Pool", "member": "Member",
	"healthmonitor": "Health Monitor", "l7policy": "L7 Policy", "l7rule": "L7 Rule"}

// checkBalancedQuota is octavia/db/repositories.py, check_quota_met: a 403.
func checkBalancedQuota[T any, R rowOf[T]](c *Cloud, t *table[T, R], kind, project string) error {
	limit, limited := c.network.quotas[kind]
	if limited && t.count(func(r R) bool { return r.owner() == project }) >= limit {
		return overBalancedQuota(kind)
	}
	return nil
}

func overBalancedQuota(kind string) error {
	return refuse(http.StatusForbidden, "", "Quota has been met for resources: %s", balancedQuotas[kind])
}

func (c *Cloud) balancedQuota() any {
	quota := map[string]any{}
	for kind := range balancedQuotas {
		quota[kind] = -1
		if limit, ok := c.network.quotas[kind]; ok {
			quota[kind] = limit
		}
	}
	// Misspelled, deprecated in Rocky, still there in Zed.
	quota["load_balancer"], quota["health_monitor"] = quota["loadbalancer"], quota["healthmonitor"]
	return wrap("quota", quota)
}

// ownQuota lets a project see its own quotas only.
func (c *Cloud) ownQuota(h handler) handler {
	return func(q *request) (any, error) {
		if q.id("project") != q.project {
			return nil, refuse(http.StatusForbidden, "", "Policy does not allow this request to be performed.")
		}
		return h(q)
	}
}

func (c *Cloud) showBalancedQuota(*request) (any, error) { return c.balancedQuota(), nil }

func (c *Cloud) showDefaultBalancedQuota(*request) (any, error) {
	quota := map[string]int{}
	for kind := range balancedQuotas {
		quota[kind] = -1
	}
	return wrap("quota", quota), nil
}

// setBalancedQuota is octavia/api/v2/controllers/quotas.py, put: a 202. Octavia
// gives it to the role load-balancer_quota_admin, which this cloud's members have.
func (c *Cloud) setBalancedQuota(q *request) (any, error) {
	var body struct {
		Quota map[string]*int `json:"quota"`
	}
	if err := json.Unmarshal(q.raw, &body); err != nil {
		return nil, refuse(http.StatusBadRequest, "", "Invalid input for field/attribute quota. %v", err)
	}
	for kind := range body.Quota {
		if balancedQuotas[kind] == "" {
			return nil, refuse(http.StatusBadRequest, "", "Unknown attribute for argument quotas.quota: %s", kind)
		}
	}
	for kind, limit := range body.Quota {
		if limit == nil || *limit < 0 {
			delete(c.network.quotas, kind)
			continue
		}
		c.network.quotas[kind] = *limit
	}
	return reply{status: http.StatusAccepted, body: c.balancedQuota()}, nil
}

func (c *Cloud) resetBalancedQuota(*request) (any, error) {
	for kind := range balancedQuotas {
		delete(c.network.quotas, kind)
	}
	return reply{status: http.StatusAccepted}, nil
}
