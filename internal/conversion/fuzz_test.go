package conversion

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	utilconversion "sigs.k8s.io/cluster-api/util/conversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/randfill"

	"github.com/capok/capok/api/infrastructure/v1beta1"
	"github.com/capok/capok/api/infrastructure/v1beta2"
)

// TestNothingIsLost converts random objects there and back, in both directions.
func TestNothingIsLost(t *testing.T) {
	t.Run("OpenStackCluster", fuzz(t, clusterDown, clusterUp))
	t.Run("OpenStackClusterTemplate", fuzz(t, clusterTemplateDown, clusterTemplateUp))
	t.Run("OpenStackMachine", fuzz(t, machineDown, machineUp))
	t.Run("OpenStackMachineTemplate", fuzz(t, machineTemplateDown, machineTemplateUp))
}

func fuzz[hub, spoke client.Object](t *testing.T, down func(hub, spoke), up func(spoke, hub)) func(*testing.T) {
	scheme := runtime.NewScheme()
	if err := AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return utilconversion.SpokeConverterFuzzTestFunc(utilconversion.SpokeConverterFuzzTestFuncInput[hub, spoke]{
		Scheme:                scheme,
		ConvertHubToSpokeFunc: always(down),
		ConvertSpokeToHubFunc: always(up),
		FuzzerFuncs:           []fuzzer.FuzzerFuncs{newerFuzzers, olderFuzzers},
	})
}

// newerFuzzers leave out what means the same as its absence.
func newerFuzzers(serializer.CodecFactory) []any {
	return []any{
		func(s *v1beta2.OpenStackClusterSpec, c randfill.Continue) {
			c.FillNoCustom(s)
			s.APIServer = unlessEmpty(orEmpty(s.APIServer))
			s.ManagedNetwork = unlessEmpty(orEmpty(s.ManagedNetwork))
			s.ManagedRouter = routerUp(orEmpty(s.ManagedRouter).ExternalIPs)
		},
		func(f *v1beta2.FlavorParam, c randfill.Continue) {
			c.FillNoCustom(f)
			f.Filter = unlessEmpty(orEmpty(f.Filter))
		},
		func(s *v1beta2.OpenStackClusterStatus, c randfill.Continue) {
			c.FillNoCustom(s)
			slices.SortFunc(s.FailureDomains, func(a, b clusterv1.FailureDomain) int { return strings.Compare(a.Name, b.Name) })
			s.FailureDomains = slices.CompactFunc(s.FailureDomains, func(a, b clusterv1.FailureDomain) bool { return a.Name == b.Name })
			for i := range s.FailureDomains {
				s.FailureDomains[i].ControlPlane = new(orEmpty(s.FailureDomains[i].ControlPlane))
			}
		},
	}
}

// olderFuzzers make objects as our webhook writes them: readiness follows from
// initialization, failures are never set, conditions follow from the exact ones.
func olderFuzzers(serializer.CodecFactory) []any {
	return []any{
		func(s *v1beta1.OpenStackClusterSpec, c randfill.Continue) {
			c.FillNoCustom(s)
			if len(s.ExternalRouterIPs) == 0 {
				s.ExternalRouterIPs = nil
			}
		},
		func(p *v1beta1.PortOpts, c randfill.Continue) {
			c.FillNoCustom(p)
			p.EnablePortSecurity = nil
		},
		func(s *v1beta1.OpenStackClusterStatus, c randfill.Continue) {
			c.FillNoCustom(s)
			s.Ready, s.FailureReason, s.FailureMessage = orEmpty(s.Initialization.Provisioned), "", ""
			s.Conditions, s.V1Beta2 = conditionsDown(orEmpty(s.V1Beta2).Conditions)
			if len(s.FailureDomains) == 0 {
				s.FailureDomains = nil
			}
		},
		func(s *v1beta1.OpenStackMachineStatus, c randfill.Continue) {
			c.FillNoCustom(s)
			s.Ready, s.FailureReason, s.FailureMessage = orEmpty(s.Initialization.Provisioned), "", ""
			s.Conditions, s.V1Beta2 = conditionsDown(orEmpty(s.V1Beta2).Conditions)
		},
	}
}
