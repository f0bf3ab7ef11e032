package v1beta2

// What the controllers write into the metadata of objects.
const (
	// ClusterFinalizer keeps an OpenStackCluster until nothing of it is left in OpenStack.
	ClusterFinalizer = "openstackcluster.infrastructure.cluster.x-k8s.io"

	// MachineFinalizer keeps an OpenStackMachine until nothing of it is left in OpenStack.
	MachineFinalizer = "openstackmachine.infrastructure.cluster.x-k8s.io"

	// MarkAnnotation on an OpenStackCluster holds the cluster's mark, such as
	// "cx-7f3k9q2mzt": what every OpenStack resource of the cluster carries. Its
	// machines have a copy, so that they can be deleted on their own. It
	// is minted once, before the first resource is created, and moves with the
	// object; whoever changes it makes the controller lose sight of the
	// resources.
	MarkAnnotation = "infrastructure.cluster.x-k8s.io/mark"

	// ProjectAnnotation holds the ID of the OpenStack project that the object's
	// resources are in. Credentials for another project are refused: nothing
	// would be found there, and all of it made again.
	ProjectAnnotation = "infrastructure.cluster.x-k8s.io/project-id"
)

// Defaults of fields that may be left out.
const (
	// DefaultAPIServerPort is the port of the Kubernetes API when apiServer.port is unset or 0.
	DefaultAPIServerPort = 6443
)

// ReleaseAnnotation with the value "true" on an object that is being deleted
// lets it go although something is refused for good, or is not removed within ten minutes:
// what carries its mark stays in OpenStack.
const ReleaseAnnotation = "infrastructure.cluster.x-k8s.io/release-resources"
