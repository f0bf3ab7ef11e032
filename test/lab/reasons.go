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
	waiting := ""
	for _, one := range list.Items {
		waiting += one.waiting()
	}
	if waiting == "" {
		return errors.New("the machines are there, their nodes are not yet")
	}
	return errors.New(waiting)
}

// waiting is a line for each condition that is not met, but for the summary
// of them.
func (c conditioned) waiting() string {
	lines := ""
	for _, one := range c.Status.Conditions {
		switch {
		case one.Status == metav1.ConditionTrue:
		case one.Type == clusterv1.PausedCondition, one.Type == clusterv1.DeletingCondition, one.Type == infrav1.Ready:
		default:
			lines += fmt.Sprintf("\n    %s %s: %s %s: %s", c.Kind, c.Metadata.Name, one.Type, one.Reason, one.Message)
		}
	}
	return lines
}
