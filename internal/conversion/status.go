package conversion

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1beta1 "sigs.k8s.io/cluster-api/api/core/v1beta1" //nolint:staticcheck // the shapes of the older contract
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/capok/capok/api/infrastructure/v1beta1"
	"github.com/capok/capok/api/infrastructure/v1beta2"
)

// noReason stands where the older version has no reason and the newer needs one.
const noReason = "NoReasonReported"

// initializationUp takes ready for an object that only the older version, and
// thus another controller, has written.
func initializationUp(older v1beta2.Initialization, ready bool) v1beta2.Initialization {
	if older.Provisioned == nil && ready {
		return v1beta2.Initialization{Provisioned: &ready}
	}
	return older
}

// conditionsDown gives the conditions in the older shape, and beside them as they are.
func conditionsDown(newer []metav1.Condition) (clusterv1beta1.Conditions, *v1beta1.V1Beta2Status) {
	if len(newer) == 0 {
		return nil, nil
	}
	return each(newer, conditionDown), &v1beta1.V1Beta2Status{Conditions: newer}
}

func conditionDown(newer metav1.Condition) clusterv1beta1.Condition {
	return clusterv1beta1.Condition{
		Type:               clusterv1beta1.ConditionType(newer.Type),
		Status:             corev1.ConditionStatus(newer.Status),
		Severity:           severity(newer),
		LastTransitionTime: newer.LastTransitionTime,
		Reason:             newer.Reason,
		Message:            newer.Message,
	}
}

// severity tells who reads the older version whether somebody has to act: what
// is under way or waits for something else is information.
func severity(newer metav1.Condition) clusterv1beta1.ConditionSeverity {
	underWay := []string{v1beta2.Creating, v1beta2.Updating, v1beta2.Busy, v1beta2.Deleting}
	switch {
	case newer.Status != metav1.ConditionFalse:
		return clusterv1beta1.ConditionSeverityNone
	case strings.HasPrefix(newer.Reason, "Waiting"), slices.Contains(underWay, newer.Reason):
		return clusterv1beta1.ConditionSeverityInfo
	default:
		return clusterv1beta1.ConditionSeverityWarning
	}
}

// conditionsUp takes the conditions as they are where they are written down,
// and makes them of the older ones otherwise.
func conditionsUp(older clusterv1beta1.Conditions, exact *v1beta1.V1Beta2Status) []metav1.Condition {
	if exact != nil {
		return exact.Conditions
	}
	return each(older, conditionUp)
}

func conditionUp(older clusterv1beta1.Condition) metav1.Condition {
	newer := metav1.Condition{
		Type:               string(older.Type),
		Status:             metav1.ConditionStatus(older.Status),
		LastTransitionTime: older.LastTransitionTime,
		Reason:             older.Reason,
		Message:            older.Message,
	}
	if newer.Reason == "" {
		newer.Reason = noReason
	}
	return newer
}

func failureDomainsDown(newer []clusterv1.FailureDomain) clusterv1beta1.FailureDomains {
	if len(newer) == 0 {
		return nil
	}
	older := clusterv1beta1.FailureDomains{}
	for _, domain := range newer {
		older[domain.Name] = clusterv1beta1.FailureDomainSpec{
			ControlPlane: orEmpty(domain.ControlPlane), Attributes: domain.Attributes,
		}
	}
	return older
}

// failureDomainsUp sorts by name, as the controller does.
func failureDomainsUp(older clusterv1beta1.FailureDomains) []clusterv1.FailureDomain {
	var newer []clusterv1.FailureDomain
	for _, name := range slices.Sorted(maps.Keys(older)) {
		newer = append(newer, clusterv1.FailureDomain{
			Name: name, ControlPlane: new(older[name].ControlPlane), Attributes: older[name].Attributes,
		})
	}
	return newer
}
