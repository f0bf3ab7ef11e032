package openstacksim

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"slices"
)

// Listener is an Octavia listener.
type Listener struct {
	balanced
	Description    string            `json:"description"`
	Protocol       string            `json:"protocol"`
	ProtocolPort   int               `json:"protocol_port"`
	Connections    int               `json:"connection_limit"`
	DefaultPoolID  *string           `json:"default_pool_id"`
	InsertHeaders  map[string]string `json:"insert_headers"`
	AllowedCIDRs   []string          `json:"allowed_cidrs"`
	ClientTimeout  int               `json:"timeout_client_data"`
	ConnectTimeout int               `json:"timeout_member_connect"`
	MemberTimeout  int               `json:"timeout_member_data"`
	InspectTimeout int               `json:"timeout_tcp_inspect"`
	TLSContainer   *string           `json:"default_tls_container_ref"`
	SNIContainers  []string          `json:"sni_container_refs"`
	ClientCA       *string           `json:"client_ca_tls_container_ref"`
	ClientAuth     string            `json:"client_authentication"`
	ClientCRL      *string           `json:"client_crl_container_ref"`
	Ciphers        *string           `json:"tls_ciphers"`
	TLSVersions    []string          `json:"tls_versions"`
	ALPN           []string          `json:"alpn_protocols"`
}

// view is octavia/api/v2/types/listener.py, ListenerResponse.
func (l *Listener) view(c *Cloud) any {
	return &struct {
		Listener
		Balancers []map[string]string `json:"loadbalancers"`
		Policies  []map[string]string `json:"l7policies"`
	}{*l, []map[string]string{{"id": l.balancer}}, ids(c.policiesOf(l.ID))}
}

var listenerAttributes = []string{"name", "description", "admin_state_up", "tags", "connection_limit", "default_pool_id", "insert_headers",
	"allowed_cidrs", "timeout_client_data", "timeout_member_connect", "timeout_member_data", "timeout_tcp_inspect",
	"default_tls_container_ref", "sni_container_refs", "client_ca_tls_container_ref", "client_authentication", "client_crl_container_ref",
	"tls_ciphers", "tls_versions", "alpn_protocols"}

// addListener is octavia/api/v2/controllers/listener.py, _validate_create_listener.
func (c *Cloud) addListener(lb *LoadBalancer, raw json.RawMessage) (*Listener, error) {
	l := &Listener{balanced: c.newBalanced("listener", lb.ProjectID, lb.ID), Connections: -1, InsertHeaders: map[string]string{},
		ClientTimeout: 50000, ConnectTimeout: 5000, MemberTimeout: 50000, SNIContainers: []string{}, ClientAuth: "NONE"}
	if _, err := decodeInto(raw, l, append(slices.Clone(listenerAttributes), "protocol", "protocol_port", "loadbalancer_id", "project_id")...); err != nil {
		return nil, err
	}
	if !slices.Contains([]string{"HTTP", "HTTPS", "TCP", "TERMINATED_HTTPS", "UDP", "SCTP", "PROMETHEUS"}, l.Protocol) {
		return nil, refuse(http.StatusBadRequest, "", "Invalid input for field/attribute protocol. Value: '%s'.", l.Protocol)
	}
	if l.ProtocolPort < 1 || l.ProtocolPort > 65535 {
		return nil, refuse(http.StatusBadRequest, "", "Invalid input for field/attribute protocol_port. Value: '%d'.", l.ProtocolPort)
	}
	if err := c.checkListener(lb, l); err != nil {
		return nil, err
	}
	for _, other := range c.listenersOf(lb.ID) {
		if other.ProtocolPort == l.ProtocolPort && transport(other.Protocol) == transport(l.Protocol) {
			return nil, refuse(http.StatusConflict, "", "Another Listener on this Load Balancer is already using protocol %s and protocol_port %d",
				other.Protocol, l.ProtocolPort)
		}
	}
	if err := checkBalancedQuota(c, c.balancing.listeners, "listener", lb.ProjectID); err != nil {
		return nil, err
	}
	return c.balancing.listeners.add(l), nil
}

// transport is octavia/common/constants.py, L4_PROTOCOL_MAP.
func transport(protocol string) string {
	if protocol == "UDP" || protocol == "SCTP" {
		return protocol
	}
	return "TCP"
}

// checkListener is what creations and updates of listeners have in common.
func (c *Cloud) checkListener(lb *LoadBalancer, l *Listener) error {
	if l.InsertHeaders == nil {
		l.InsertHeaders = map[string]string{}
	}
	if err := checkHeaders(l); err != nil {
		return err
	}
	if err := c.checkTLS(l); err != nil {
		return err
	}
	for _, ms := range []int{l.ClientTimeout, l.ConnectTimeout, l.MemberTimeout, l.InspectTimeout} {
		if ms < 0 || ms > maxTimeout {
			return refuse(http.StatusBadRequest, "", "Invalid input for field/attribute timeout. Value: '%d'. Value should be lower or equal to %d",
				ms, maxTimeout)
		}
	}
	if l.DefaultPoolID != nil {
		if err := c.checkListenerPool(l, *l.DefaultPoolID); err != nil {
			return err
		}
	}
	return checkCIDRs(lb, l)
}

const maxTimeout = 24 * 24 * 3600 * 1000 // ms; octavia/common/constants.py, MAX_TIMEOUT

// poolProtocols are those that fit a listener's (octavia/common/constants.py,
// VALID_LISTENER_POOL_PROTOCOL_MAP).
var poolProtocols = map[string][]string{
	"TCP":              {"HTTP", "HTTPS", "PROXY", "PROXYV2", "TCP"},
	"HTTP":             {"HTTP", "PROXY", "PROXYV2"},
	"HTTPS":            {"HTTPS", "PROXY", "PROXYV2", "TCP"},
	"TERMINATED_HTTPS": {"HTTP", "PROXY", "PROXYV2"},
	"UDP":              {"UDP"},
	"SCTP":             {"SCTP"},
}

// checkListenerPool is _validate_pool of octavia/api/v2/controllers/listener.py.
func (c *Cloud) checkListenerPool(l *Listener, id string) error {
	p, ok := c.balancing.pools.get(id)
	if !ok || p.balancer != l.balancer {
		return notBalanced("Pool", id)
	}
	if !slices.Contains(poolProtocols[l.Protocol], p.Protocol) {
		return invalidBalancer("The pool protocol '%s' is invalid while the listener protocol is '%s'.", p.Protocol, l.Protocol)
	}
	return nil
}

// checkCIDRs is octavia/api/v2/controllers/listener.py, _validate_cidr_compatible_with_vip.
func checkCIDRs(lb *LoadBalancer, l *Listener) error {
	for _, cidr := range l.AllowedCIDRs {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil {
			return refuse(http.StatusBadRequest, "", "Invalid input for field/attribute allowed_cidrs. Value: '%s'. Value should be IPv4 or IPv6 CIDR format", cidr)
		}
		if vip, err := netip.ParseAddr(lb.VIPAddress); err == nil && vip.Is4() != prefix.Addr().Is4() {
			return invalidBalancer("CIDR %s IP version incompatible with VIP %s IP version.", cidr, lb.VIPAddress)
		}
	}
	if len(l.AllowedCIDRs) == 0 {
		l.AllowedCIDRs = nil // shown as null
	}
	return nil
}

func (c *Cloud) createListener(q *request) (any, error) {
	var on struct {
		Balancer string `json:"loadbalancer_id"`
	}
	raw, err := q.inner("listener", &on)
	if err != nil {
		return nil, err
	}
	lb, err := c.mutable(q, on.Balancer)
	if err != nil {
		return nil, err
	}
	l, err := c.addListener(lb, raw)
	if err != nil {
		return nil, err
	}
	answer := l.view(c)
	c.pend(lb, pendingUpdate, []*balanced{&l.balanced}, nil)
	return wrap("listener", answer), nil
}

func (c *Cloud) changeListener(q *request) (*LoadBalancer, *Listener, error) {
	l, ok := c.balancing.listeners.of(q.project, q.id("id"))
	if !ok {
		return nil, nil, notBalanced("Listener", q.id("id"))
	}
	lb, err := c.mutable(q, l.balancer)
	return lb, l, err
}

func (c *Cloud) updateListener(q *request) (any, error) {
	lb, l, err := c.changeListener(q)
	if err != nil {
		return nil, err
	}
	changed := *l
	if _, err := q.decode("listener", &changed, listenerAttributes...); err != nil {
		return nil, err
	}
	if err := c.checkListener(lb, &changed); err != nil {
		return nil, err
	}
	*l = changed
	c.pend(lb, pendingUpdate, []*balanced{&l.balanced}, nil)
	return wrap("listener", l.view(c)), nil
}

func (c *Cloud) deleteListener(q *request) (any, error) {
	lb, l, err := c.changeListener(q)
	if err != nil {
		return nil, err
	}
	l.ProvisioningStatus = pendingRemoval
	c.pend(lb, pendingUpdate, []*balanced{&l.balanced}, func() { c.dropListener(l) })
	return nil, nil
}

func (c *Cloud) dropListener(l *Listener) {
	for _, p := range c.policiesOf(l.ID) {
		c.dropPolicy(p)
	}
	c.balancing.listeners.drop(l.ID)
}
