package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	infrav1 "github.com/capok/capok/api/infrastructure/v1beta2"
)

// conditioned is any object of the management cluster with conditions.
type conditioned struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Status struct {
		Conditions []metav1.Condition `json:"conditions"`
	} `json:"status"`
}

// reasons are what the provider's objects wait for, in the words of their
// conditions.
func (w *workload) reasons(ctx context.Context) error {
	out, err := w.run(ctx, nil, w.kubectl, "get", "openstackclusters,openstackmachines", "-o", "json")
	if err != nil {
		return err
	}
	var list struct {
		Items []conditioned `json:"items"`
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		return err
	}
	waiting, servers := "", false
	for _, one := range list.Items {
		waiting += one.waiting()
		servers = servers || one.Kind == "OpenStackMachine"
	}
	switch {
	case waiting != "":
		return errors.New(waiting)
	case servers:
		return errors.New("OpenStack did its part; cloud-init and kubeadm are at work in the servers")
	}
	return errors.New("Cluster API and Capok make the first objects")
}

// waiting is a line about the first condition that is not met, the summary of
// them left aside; what comes after it waits for it.
func (c conditioned) waiting() string {
	for _, one := range c.Status.Conditions {
		switch {
		case one.Status == metav1.ConditionTrue:
		case one.Type == clusterv1.PausedCondition, one.Type == clusterv1.DeletingCondition, one.Type == infrav1.Ready:
		default:
			return fmt.Sprintf("\n    %s %s: %s, %s", c.Kind, c.Metadata.Name, one.Reason, one.Message)
		}
	}
	return ""
}
