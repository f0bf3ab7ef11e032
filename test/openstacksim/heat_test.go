package openstacksim

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// clusterTemplate has every type of resource, in an order that does not help.
const clusterTemplate = `
heat_template_version: 2018-08-31
description: a small cluster
parameters:
  flavor: {type: string, default: m1.small}
  secret: {type: string, hidden: true}
  cidrs: {type: comma_delimited_list, default: "10.7.0.0/24,10.8.0.0/24"}
resources:
  address:
    type: OS::Neutron::FloatingIP
    properties: {floating_network: public, port_id: {get_resource: port}}
  balancer:
    type: OS::Octavia::LoadBalancer
    properties: {name: lb, vip_subnet: {get_resource: subnet}}
  server:
    type: OS::Nova::Server
    properties:
      name: m0
      image: node
      flavor: {get_param: flavor}
      networks: [{port: {get_resource: port}}]
      user_data_format: RAW
      user_data: {str_replace: {template: "password $SECRET", params: {$SECRET: {get_param: secret}}}}
  port:
    type: OS::Neutron::Port
    deletion_policy: retain
    properties:
      name: p0
      network: {get_resource: net}
      security_groups: [{get_resource: group}]
      fixed_ips: [{subnet: {get_resource: subnet}, ip_address: 10.7.0.77}]
  group:
    type: OS::Neutron::SecurityGroup
    properties:
      name: sg
      rules: [{protocol: tcp, port_range_min: 22, port_range_max: 22}, {remote_mode: remote_group_id}]
  gateway:
    type: OS::Neutron::RouterInterface
    properties: {router: {get_resource: router}, subnet: {get_resource: subnet}}
  router:
    type: OS::Neutron::Router
    properties: {name: r0, external_gateway_info: {network: public}}
  subnet:
    type: OS::Neutron::Subnet
    properties: {network: {get_resource: net}, cidr: {get_param: [cidrs, 0]}}
  net:
    type: OS::Neutron::Net
outputs:
  address: {value: {get_attr: [address, floating_ip_address]}}
  url: {value: {list_join: ["", ["https://", {get_attr: [balancer, vip_address]}, ":6443"]]}}
`

const heatURL = "/heat-api/v1/"

func (c *client) createStack(name, template string, extra body) string {
	c.t.Helper()
	in := body{"stack_name": name, "template": template}
	for key, value := range extra {
		in[key] = value
	}
	return c.want(http.StatusCreated, "POST", heatURL+c.sim.ProjectID(Project)+"/stacks", in, "stack")["id"].(string)
}

func (c *client) stackPath(name, id string) string {
	return strings.TrimSuffix(heatURL+c.sim.ProjectID(Project)+"/stacks/"+name+"/"+id, "/")
}

// stack is what GET shows, by name (which is redirected) or name and ID.
func (c *client) stack(which string) body {
	c.t.Helper()
	return c.want(http.StatusOK, "GET", heatURL+c.sim.ProjectID(Project)+"/stacks/"+which, nil, "stack")
}

func TestStackMakesResourcesOfItsTemplate(t *testing.T) {
	c := start(t)
	id := c.createStack("k8s", clusterTemplate, body{"parameters": body{"secret": "s3cret"}})
	c.same("status at first", c.stack("k8s")["stack_status"], "CREATE_IN_PROGRESS")
	c.advance(30 * time.Second)
	stack := c.stack("k8s/" + id)
	c.same("status", stack["stack_status"], "CREATE_COMPLETE")
	c.same("hidden parameter", stack["parameters"].(body)["secret"], "******")
	fip, lb, server := c.sim.FloatingIPs("")[0], c.sim.LoadBalancers("lb")[0], c.sim.Servers("m0")[0]
	outputs := stack["outputs"].([]any)
	c.same("output address", outputs[0].(body)["output_value"], fip.Address)
	c.same("output url", outputs[1].(body)["output_value"], "https://"+lb.VIPAddress+":6443")
	c.same("status of the server", server.Status, "ACTIVE")
	c.same("port of server and floating IP", server.PortIDs[0], *fip.PortID)
	c.same("fixed address", c.sim.Ports("p0")[0].FixedIPs[0].IPAddress, "10.7.0.77")
	c.same("rules: 2 of Neutron, 2 of the template", len(c.sim.Rules(c.sim.SecurityGroups("sg")[0].ID)), 4)
	resources := c.want(http.StatusOK, "GET", c.stackPath("k8s", id)+"/resources", nil, "")["resources"].([]any)
	c.same("resources", len(resources), 9)
	for _, r := range resources {
		c.same("status of a resource", r.(body)["resource_status"], "CREATE_COMPLETE")
	}
}

func TestStackDeletesAllButWhatIsRetained(t *testing.T) {
	c := start(t)
	id := c.createStack("k8s", clusterTemplate, body{"parameters": body{"secret": "s3cret"}})
	c.advance(30 * time.Second)
	c.want(http.StatusNoContent, "DELETE", c.stackPath("k8s", id), nil, "")
	c.advance(time.Minute)
	stack := c.stack("k8s/" + id)
	c.same("status while the port that is retained uses the rest", stack["stack_status"], "DELETE_FAILED")
	if reason := stack["stack_status_reason"].(string); !strings.Contains(reason, "n use") {
		t.Errorf("reason: %s", reason)
	}
	c.same("servers", len(c.sim.Servers("")), 0)
	c.sim.DeletePort(c.sim.Ports("p0")[0].ID)
	c.want(http.StatusNoContent, "DELETE", c.stackPath("k8s", id), nil, "")
	c.advance(time.Minute)
	c.same("status, by ID only", c.stack(id)["stack_status"], "DELETE_COMPLETE")
	c.refused(http.StatusNotFound, "The Stack (k8s) could not be found.", "GET", c.stackPath("k8s", ""), nil)
	c.sim.WantNothingLeft(t)
}

func TestAbandonedStackLeavesItsResources(t *testing.T) {
	c := start(t)
	one := "heat_template_version: rocky\nresources: {net: {type: OS::Neutron::Net, properties: {name: n0}}}"
	id := c.createStack("k8s", one, nil)
	path := c.stackPath("k8s", id)
	c.refused(http.StatusConflict, "already has an action", "DELETE", path+"/abandon", nil)
	c.advance(time.Second)
	c.sim.ForbidAbandon(true)
	c.refused(http.StatusBadRequest, "Stack Abandon is not supported.", "DELETE", path+"/abandon", nil)
	c.sim.ForbidAbandon(false)
	data := c.want(http.StatusOK, "DELETE", path+"/abandon", nil, "")
	net := data["resources"].(body)["net"].(body)
	if net["resource_id"] != c.sim.Networks("n0")[0].ID || data["template"].(body)["resources"] == nil || data["status"] != "COMPLETE" {
		t.Errorf("what one adopts it with: %v", data)
	}
	c.refused(http.StatusNotFound, "could not be found", "GET", path, nil)
	if len(c.sim.Stacks("")) != 0 {
		t.Error("the stack is still there")
	}
}

func TestStackThatFails(t *testing.T) {
	c := start(t)
	c.sim.NoValidHost(true)
	template := `{"heat_template_version": "2018-08-31", "resources": {"s": {"type": "OS::Nova::Server",
		"properties": {"name": "m0", "flavor": "1", "image": "node"}}}}`
	c.createStack("kept", template, nil)
	c.createStack("undone", template, body{"disable_rollback": false})
	c.advance(time.Minute)
	if got := c.stack("kept"); got["stack_status"] != "CREATE_FAILED" || !strings.HasPrefix(got["stack_status_reason"].(string),
		`Resource CREATE failed: ResourceInError: resources.s: Went to status ERROR due to "Message: No valid host was found.`) {
		t.Errorf("%v: %v", got["stack_status"], got["stack_status_reason"])
	}
	if got := c.stack("undone")["stack_status"]; got != "ROLLBACK_COMPLETE" || len(c.sim.Servers("m0")) != 1 {
		t.Errorf("%v with %d servers, want ROLLBACK_COMPLETE and only the other's", got, len(c.sim.Servers("m0")))
	}
}

func TestTemplatesThatAreRefused(t *testing.T) {
	c := start(t, WithoutService("octavia"))
	net := func(rest string) string { return "{net: {type: OS::Neutron::Net" + rest + "}}" }
	for _, tc := range []struct{ why, resources, says string }{
		{"a type that is not simulated", "{a: {type: OS::Nova::Quota}}", "The Resource Type (OS::Nova::Quota) could not be found."},
		{"a service that is not there", "{a: {type: OS::Octavia::LoadBalancer}}", "is not available for resource type"},
		{"a property that is not simulated", net(", properties: {dns_domain: x}"), "Unknown Property dns_domain"},
		{"a property that must be there", "{a: {type: OS::Neutron::Subnet, properties: {cidr: 10.0.0.0/8}}}", "Property network not assigned"},
		{"a network that is not there", "{a: {type: OS::Neutron::Port, properties: {network: x}}}", "Unable to find network with name or id 'x'"},
		{"a resource that is not there", net(", depends_on: x"), `The specified reference \"x\" (in net) is incorrect.`},
		{"a circle", net(", depends_on: net"), "Circular Dependency Found: net"},
		{"a parameter that is not there", net(", properties: {name: {get_param: x}}"), "The Parameter (x) was not provided."},
		{"an attribute that is not there", net(", properties: {name: {get_attr: [net, x]}}, depends_on: []"), "Circular"},
		{"a function that is not simulated", net(", properties: {name: {get_file: x}}"), "get_file"},
		{"a policy that is not simulated", net(", deletion_policy: Snapshot"), `Invalid deletion policy`},
		{"a keyword that is not simulated", net(", condition: x"), "condition"},
		{"no type", "{a: {}}", "type key"},
	} {
		t.Run(tc.why, func(t *testing.T) {
			c.refused(http.StatusBadRequest, tc.says, "POST", heatURL+c.sim.ProjectID(Project)+"/stacks",
				body{"stack_name": "k8s", "template": "heat_template_version: rocky\nresources: " + tc.resources})
		})
	}
	c.same("stacks", len(c.sim.Stacks("")), 0)
	c.same("what is not simulated", c.sim.Unknown(), "[heat resource type OS::Nova::Quota heat property dns_domain of OS::Neutron::Net heat function get_file]")
	c.refused(http.StatusForbidden, "not authorized", "GET", heatURL+"other/stacks", nil)
}
