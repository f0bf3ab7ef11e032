package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/cluster-api/cmd/clusterctl/client/yamlprocessor"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/capok/capok/test/lab/component"
	"github.com/capok/capok/test/lab/place"
)

const (
	namespace = "default"
	// firstPort is the port of the first cluster's API. Each has its own: all
	// addresses are on one loopback.
	firstPort = 20000
)

// createClusters creates all clusters, of which only so many machines are being
// built at a time.
func createClusters(ctx context.Context, to *fleet, c *cloud, s size, building int) error {
	template, err := os.ReadFile(place.Repo("templates", "default", "cluster-template.yaml"))
	if err != nil {
		return err
	}
	cas, err := newAuthorities()
	if err != nil {
		return err
	}
	for i := range s.clusters {
		if err := to.waitBelow(ctx, i*s.machines, max(1, building-s.machines+1)); err != nil {
			return err
		}
		if err := cas.give(ctx, to, clusterName(i)); err != nil {
			return err
		}
		objects, err := render(template, variables(c, s, i))
		if err != nil {
			return err
		}
		if err := create(ctx, to, s, objects, firstPort+i); err != nil {
			return err
		}
	}
	return nil
}

func clusterName(cluster int) string { return fmt.Sprintf("c%d", cluster) }

// variables are what a user of the template gives.
func variables(c *cloud, s size, cluster int) map[string]string {
	return map[string]string{
		"NAMESPACE":                              namespace,
		"CLUSTER_NAME":                           clusterName(cluster),
		"KUBERNETES_VERSION":                     component.Kubernetes,
		"CONTROL_PLANE_MACHINE_COUNT":            strconv.Itoa(s.controlPlane()),
		"WORKER_MACHINE_COUNT":                   strconv.Itoa(s.machines - s.controlPlane()),
		"OPENSTACK_CLOUD":                        "openstack",
		"OPENSTACK_CLOUD_YAML_B64":               c.credentials(cluster),
		"OPENSTACK_EXTERNAL_NETWORK_ID":          c.external,
		"OPENSTACK_DNS_NAMESERVERS":              "10.0.0.53",
		"OPENSTACK_IMAGE_NAME":                   "node",
		"OPENSTACK_CONTROL_PLANE_MACHINE_FLAVOR": "m1.small",
		"OPENSTACK_NODE_MACHINE_FLAVOR":          "m1.small",
	}
}

// render does what `clusterctl generate cluster` does.
func render(template []byte, variables map[string]string) ([]*unstructured.Unstructured, error) {
	text, err := yamlprocessor.NewSimpleProcessor().Process(template, func(name string) (string, error) {
		if value, known := variables[name]; known {
			return value, nil
		}
		return "", fmt.Errorf("%s is not set", name)
	})
	if err != nil {
		return nil, err
	}
	return decode(text)
}

// decode reads the objects of a manifest.
func decode(text []byte) (objects []*unstructured.Unstructured, err error) {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		object := &unstructured.Unstructured{}
		if err := decoder.Decode(object); errors.Is(err, io.EOF) {
			return objects, nil
		} else if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
}

func create(ctx context.Context, to client.Client, s size, objects []*unstructured.Unstructured, port int) error {
	for _, object := range objects {
		if s.machines == s.controlPlane() && strings.HasSuffix(object.GetName(), "-md-0") {
			continue // a MachineDeployment without machines, and what it names
		}
		if object.GetKind() == "OpenStackCluster" {
			if err := unstructured.SetNestedField(object.Object, int64(port), "spec", "apiServer", "port"); err != nil {
				return err
			}
		}
		if err := to.Create(ctx, object); err != nil {
			return fmt.Errorf("create %s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
	return nil
}
