package lifecycle

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/conditions"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
	"github.com/capok/capok/test/openstacksim"
)

// story is a part of the life of a cluster. What comes before it (a cluster
// with one control-plane machine and one worker) and after it (the deletion)
// is told by who tells the story.
type story struct {
	name, why string
	floating  bool         // the API has a floating IP instead of a load balancer
	play      func(*world) // nil: what comes before and after is all
}

var stories = []story{
	{name: "create", why: "each step of a cluster and its machines, and of their end"},
	{name: "create without load balancer", why: "the floating IP goes to a machine", floating: true},
	{name: "scale", why: "machines come and go beside others", play: scale},
	{name: "replace control plane", why: "the API stays reachable: the new one is a member before the old one goes", play: replace},
	{name: "replace control plane without load balancer", why: "the floating IP goes over to the new one", floating: true, play: replaceFloating},
	{name: "server in ERROR", why: "its owner replaces the machine", play: faultyServer},
	{name: "quota", why: "it goes on when an operator raises it", play: quota},
	{name: "no valid host", why: "it goes on when there is one", play: noHost},
	{name: "drift", why: "what others took away comes back", play: drift},
	{name: "server lost", why: "it is not made again behind the back of Kubernetes", play: lost},
	{name: "rotate credentials", why: "neither new content nor another Secret changes what is there", play: rotate},
	{name: "pause", why: "nothing is touched before it ends, and what happened meanwhile is seen then", play: pause},
	{name: "move", why: "status and UIDs are lost, and a server is being built", play: move},
}

func scale(w *world) {
	w.makeMachines("w1", "w2")
	w.settle()
	w.wantServers("cp0", "w0", "w1", "w2")
	w.deleteMachines("w0", "w1")
	w.settle()
	w.wantServers("cp0", "w2")
}

func replace(w *world) {
	w.makeMachines("cp1")
	w.settle()
	w.wantMembers("cp0", "cp1")
	w.deleteMachines("cp0")
	w.settle()
	w.wantMembers("cp1")
	w.wantServers("cp1", "w0")
}

func replaceFloating(w *world) {
	w.makeMachines("cp1")
	w.settle()
	w.wantEndpointAt("cp0")
	w.deleteMachines("cp0")
	w.settle()
	w.wantEndpointAt("cp1")
	w.wantExternalAddress("cp1")
	w.wantServers("cp1", "w0")
}

func faultyServer(w *world) {
	w.cloud.SetServerFault("w1", "no space left on device")
	w.makeMachines("w1")
	w.wantReason("w1", infrav1.ServerReady, infrav1.ServerFault)
	w.deleteMachines("w1")
	w.makeMachines("w2")
	w.settle()
	w.wantServers("cp0", "w0", "w2")
}

func quota(w *world) {
	w.cloud.SetQuota("instances", 0)
	w.makeMachines("w1")
	w.wantReason("w1", infrav1.ServerReady, infrav1.QuotaExceeded)
	w.cloud.SetQuota("instances", -1)
	w.settle()
	w.wantServers("cp0", "w0", "w1")
	w.cloud.SetQuota("port", 0)
	w.makeMachines("w2")
	w.wantReason("w2", infrav1.PortsReady, infrav1.QuotaExceeded)
	w.cloud.SetQuota("port", -1)
	w.settle()
	w.wantServers("cp0", "w0", "w1", "w2")
}

func noHost(w *world) {
	w.cloud.NoValidHost(true)
	w.makeMachines("w1")
	w.wantReason("w1", infrav1.ServerReady, infrav1.NoCapacity)
	w.cloud.NoValidHost(false)
	w.settle()
	w.wantServers("cp0", "w0", "w1")
}

func drift(w *world) {
	group := w.infra().Status.ControlPlaneSecurityGroup.ID
	rules := len(w.cloud.Rules(group))
	w.cloud.DeleteRule(w.cloud.Rules(group)[rules/2].ID)
	w.cloud.DeleteMember(w.cloud.Members(w.cloud.Pools("")[0].ID)[0].ID)
	w.cloud.DeletePort(w.cloud.PortsOf(w.cloud.Servers("w0")[0].ID)[0].ID)
	w.later(steady)
	if got := len(w.cloud.Rules(group)); got != rules {
		w.Errorf("%d rules, want %d again", got, rules)
	}
	w.wantMembers("cp0")
	if len(w.cloud.Ports("w0-0")) != 1 {
		w.Errorf("ports of w0: %d, want 1 again", len(w.cloud.Ports("w0-0")))
	}
}

func lost(w *world) {
	w.cloud.DeleteServer(w.cloud.Servers("w0")[0].ID)
	w.later(steady)
	w.wantReason("w0", infrav1.ServerReady, infrav1.DeletedExternally)
	w.wantServers("cp0")
	w.makeMachines("w1")
	w.deleteMachines("w0")
	w.settle()
	w.wantServers("cp0", "w1")
}

func rotate(w *world) {
	id, secret := w.cloud.NewApplicationCredential("capok")
	w.cloud.SetPassword(openstacksim.User, "another")
	w.later(steady)
	w.wantReason("w0", infrav1.CredentialsValid, infrav1.CredentialsRejected)
	edit(w, &corev1.Secret{}, secretName, func(s *corev1.Secret) {
		s.Data[infrav1.CloudsYAMLKey] = w.cloud.CloudsYAMLForApplicationCredential(cloudName, id, secret)
	})
	w.makeMachines("w1")
	w.settle()
	w.wantServers("cp0", "w0", "w1")

	w.makeSecret("another", w.cloud.CloudsYAMLFor("theirs", openstacksim.Project, openstacksim.User, "another"))
	edit(w, &infrav1.OpenStackCluster{}, clusterName, func(c *infrav1.OpenStackCluster) {
		c.Spec.IdentityRef.Name, c.Spec.IdentityRef.CloudName = "another", "theirs"
	})
	w.remove(&corev1.Secret{ObjectMeta: w.meta(secretName)})
	w.cloud.RevokeApplicationCredential(id)
	w.makeMachines("w2")
	w.settle()
	w.wantServers("cp0", "w0", "w1", "w2")
	w.wantReason("w0", infrav1.CredentialsValid, infrav1.Available)
}

func pause(w *world) {
	w.pause(true)
	w.settle()
	writes := w.cloud.Writes()
	group := w.infra().Status.WorkerSecurityGroup.ID
	rules := len(w.cloud.Rules(group))
	w.cloud.DeleteRule(w.cloud.Rules(group)[0].ID)
	w.makeMachines("w1")
	w.later(steady)
	if got := w.cloud.Writes() - writes; got != 0 {
		w.Errorf("%d writes to the cloud while the cluster is paused", got)
	}
	w.pause(false)
	w.settle()
	w.wantServers("cp0", "w0", "w1")
	if got := len(w.cloud.Rules(group)); got != rules {
		w.Errorf("%d rules, want %d again", got, rules)
	}
}

func move(w *world) {
	w.makeMachines("w1")
	w.until(func() bool { return len(w.cloud.Servers("w1")) > 0 })
	w.pause(true)
	w.rest()
	before := w.serverIDs()
	w.moveAway()
	w.start() // there it is another manager
	w.pause(false)
	w.settle()
	w.wantServers("cp0", "w0", "w1")
	if after := w.serverIDs(); !slices.Equal(before, after) {
		w.Errorf("servers %v, want those from before the move: %v", after, before)
	}
	w.wantReason("w1", infrav1.Ready, infrav1.Available)
	if c := conditions.Get(w.infra(), infrav1.Ready); c == nil || c.Reason != infrav1.Available {
		w.Errorf("the cluster's Ready is %+v", c)
	}
}

func (w *world) pause(on bool) {
	w.Helper()
	edit(w, &clusterv1.Cluster{}, clusterName, func(c *clusterv1.Cluster) { c.Spec.Paused = &on })
}
