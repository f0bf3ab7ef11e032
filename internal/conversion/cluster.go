package conversion

import (
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/capok/capok/api/infrastructure/v1beta1"
	"github.com/capok/capok/api/infrastructure/v1beta2"
)

func clusterDown(newer *v1beta2.OpenStackCluster, older *v1beta1.OpenStackCluster) {
	older.ObjectMeta = newer.ObjectMeta
	older.Spec = clusterSpecDown(newer.Spec)
	older.Status = clusterStatusDown(newer.Status)
}

func clusterUp(older *v1beta1.OpenStackCluster, newer *v1beta2.OpenStackCluster) {
	newer.ObjectMeta = older.ObjectMeta
	newer.Spec = clusterSpecUp(older.Spec)
	newer.Status = clusterStatusUp(older.Status)
}

func clusterTemplateDown(newer *v1beta2.OpenStackClusterTemplate, older *v1beta1.OpenStackClusterTemplate) {
	older.ObjectMeta = newer.ObjectMeta
	older.Spec.Template.ObjectMeta = newer.Spec.Template.ObjectMeta
	older.Spec.Template.Spec = clusterSpecDown(newer.Spec.Template.Spec)
}

func clusterTemplateUp(older *v1beta1.OpenStackClusterTemplate, newer *v1beta2.OpenStackClusterTemplate) {
	newer.ObjectMeta = older.ObjectMeta
	newer.Spec.Template.ObjectMeta = older.Spec.Template.ObjectMeta
	newer.Spec.Template.Spec = clusterSpecUp(older.Spec.Template.Spec)
}

func clusterSpecDown(newer v1beta2.OpenStackClusterSpec) v1beta1.OpenStackClusterSpec {
	api, network := orEmpty(newer.APIServer), orEmpty(newer.ManagedNetwork)
	return v1beta1.OpenStackClusterSpec{
		IdentityRef:                      newer.IdentityRef,
		ControlPlaneEndpoint:             v1beta1.APIEndpoint(newer.ControlPlaneEndpoint),
		APIServerLoadBalancer:            api.ManagedLoadBalancer,
		APIServerFloatingIP:              api.FloatingIP,
		APIServerFixedIP:                 api.FixedIP,
		APIServerPort:                    api.Port,
		DisableAPIServerFloatingIP:       not(api.EnableFloatingIP),
		ManagedSubnets:                   newer.ManagedSubnets,
		NetworkMTU:                       network.MTU,
		DisablePortSecurity:              not(network.EnablePortSecurity),
		ExternalRouterIPs:                orEmpty(newer.ManagedRouter).ExternalIPs,
		Router:                           newer.Router,
		Network:                          newer.Network,
		Subnets:                          newer.Subnets,
		PrimarySubnet:                    newer.PrimarySubnet,
		DisableExternalNetwork:           not(newer.EnableExternalNetwork),
		ExternalNetwork:                  newer.ExternalNetwork,
		ManagedSecurityGroups:            groupsDown(newer.ManagedSecurityGroups),
		ControlPlaneAvailabilityZones:    newer.ControlPlaneAvailabilityZones,
		ControlPlaneOmitAvailabilityZone: newer.ControlPlaneOmitAvailabilityZone,
		Tags:                             newer.Tags,
	}
}

func clusterSpecUp(older v1beta1.OpenStackClusterSpec) v1beta2.OpenStackClusterSpec {
	return v1beta2.OpenStackClusterSpec{
		IdentityRef:          older.IdentityRef,
		ControlPlaneEndpoint: clusterv1.APIEndpoint(older.ControlPlaneEndpoint),
		APIServer: unlessEmpty(v1beta2.APIServer{
			EnableFloatingIP:    not(older.DisableAPIServerFloatingIP),
			FixedIP:             older.APIServerFixedIP,
			FloatingIP:          older.APIServerFloatingIP,
			ManagedLoadBalancer: older.APIServerLoadBalancer,
			Port:                older.APIServerPort,
		}),
		ManagedSubnets: older.ManagedSubnets,
		ManagedNetwork: unlessEmpty(v1beta2.ManagedNetwork{
			MTU:                older.NetworkMTU,
			EnablePortSecurity: not(older.DisablePortSecurity),
		}),
		ManagedRouter:                    routerUp(older.ExternalRouterIPs),
		Router:                           older.Router,
		Network:                          older.Network,
		Subnets:                          older.Subnets,
		PrimarySubnet:                    older.PrimarySubnet,
		EnableExternalNetwork:            not(older.DisableExternalNetwork),
		ExternalNetwork:                  older.ExternalNetwork,
		ManagedSecurityGroups:            groupsUp(older.ManagedSecurityGroups),
		ControlPlaneAvailabilityZones:    older.ControlPlaneAvailabilityZones,
		ControlPlaneOmitAvailabilityZone: older.ControlPlaneOmitAvailabilityZone,
		Tags:                             older.Tags,
	}
}

func routerUp(addresses []v1beta2.ExternalRouterIP) *v1beta2.ManagedRouter {
	if len(addresses) == 0 {
		return nil
	}
	return &v1beta2.ManagedRouter{ExternalIPs: addresses}
}

func groupsDown(newer *v1beta2.ManagedSecurityGroups) *v1beta1.ManagedSecurityGroups {
	if newer == nil {
		return nil
	}
	return &v1beta1.ManagedSecurityGroups{
		AllowAllInClusterTraffic:            newer.AllowAllInClusterTraffic,
		AllNodesSecurityGroupRules:          newer.ClusterNodesSecurityGroupRules,
		ControlPlaneNodesSecurityGroupRules: newer.ControlPlaneNodesSecurityGroupRules,
		WorkerNodesSecurityGroupRules:       newer.WorkerNodesSecurityGroupRules,
	}
}

func groupsUp(older *v1beta1.ManagedSecurityGroups) *v1beta2.ManagedSecurityGroups {
	if older == nil {
		return nil
	}
	return &v1beta2.ManagedSecurityGroups{
		AllowAllInClusterTraffic:            older.AllowAllInClusterTraffic,
		ClusterNodesSecurityGroupRules:      older.AllNodesSecurityGroupRules,
		ControlPlaneNodesSecurityGroupRules: older.ControlPlaneNodesSecurityGroupRules,
		WorkerNodesSecurityGroupRules:       older.WorkerNodesSecurityGroupRules,
	}
}

func clusterStatusDown(newer v1beta2.OpenStackClusterStatus) v1beta1.OpenStackClusterStatus {
	conditions, exact := conditionsDown(newer.Conditions)
	return v1beta1.OpenStackClusterStatus{
		Ready:                     orEmpty(newer.Initialization.Provisioned),
		Conditions:                conditions,
		V1Beta2:                   exact,
		Initialization:            newer.Initialization,
		FailureDomains:            failureDomainsDown(newer.FailureDomains),
		Network:                   newer.Network,
		ExternalNetwork:           newer.ExternalNetwork,
		Router:                    newer.Router,
		APIServerLoadBalancer:     newer.APIServerManagedLoadBalancer,
		ControlPlaneSecurityGroup: newer.ControlPlaneSecurityGroup,
		WorkerSecurityGroup:       newer.WorkerSecurityGroup,
	}
}

func clusterStatusUp(older v1beta1.OpenStackClusterStatus) v1beta2.OpenStackClusterStatus {
	return v1beta2.OpenStackClusterStatus{
		Conditions:                   conditionsUp(older.Conditions, older.V1Beta2),
		Initialization:               initializationUp(older.Initialization, older.Ready),
		FailureDomains:               failureDomainsUp(older.FailureDomains),
		Network:                      older.Network,
		ExternalNetwork:              older.ExternalNetwork,
		Router:                       older.Router,
		APIServerManagedLoadBalancer: older.APIServerLoadBalancer,
		ControlPlaneSecurityGroup:    older.ControlPlaneSecurityGroup,
		WorkerSecurityGroup:          older.WorkerSecurityGroup,
	}
}
