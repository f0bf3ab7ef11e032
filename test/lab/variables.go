package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/capok/capok/cloud"
	"github.com/capok/capok/test/lab/component"
	"github.com/capok/capok/test/lab/place"
	"github.com/capok/capok/test/lab/progress"
	"github.com/capok/capok/test/management"
	"github.com/capok/capok/test/node"
	"github.com/capok/capok/test/openstack/bridge"
)

// environmentFile is for `source`: programs, kubeconfig, cloud, and what the
// cluster templates want to know.
func environmentFile() string { return place.State("env") }

// setting is one line of the environment file.
type setting struct{ name, value string }

// templateVariables are the values of the cluster templates' variables.
func templateVariables(ctx context.Context, t target) ([]setting, error) {
	credentials, err := t.credentials()
	if err != nil {
		return nil, err
	}
	all := []setting{
		{"OPENSTACK_CLOUD", t.entry},
		{"OPENSTACK_CLOUD_YAML_B64", base64.StdEncoding.EncodeToString(credentials.CloudsYAML)},
		{"OPENSTACK_CLOUD_CACERT_B64", base64.StdEncoding.EncodeToString(credentials.CACert)},
	}
	if t.own {
		more, err := ownVariables(t)
		return append(all, more...), err
	}
	session, err := cloud.Open(ctx, credentials)
	if err != nil {
		return nil, fmt.Errorf("log in to cloud %s: %w", t.entry, err)
	}
	network, err := externalNetwork(ctx, session)
	if err != nil {
		return nil, err
	}
	settings, err := bridge.FromEnvironment()
	return append(all,
		setting{"OPENSTACK_EXTERNAL_NETWORK_ID", network},
		setting{"OPENSTACK_IMAGE_NAME", node.Name},
		setting{"OPENSTACK_CONTROL_PLANE_MACHINE_FLAVOR", "m1.node"},
		setting{"OPENSTACK_NODE_MACHINE_FLAVOR", "m1.node"},
		setting{"OPENSTACK_DNS_NAMESERVERS", settings.Host().String()},
		setting{"OPENSTACK_FAILURE_DOMAIN", "node"},
		setting{"OPENSTACK_CONTROL_PLANE_AVAILABILITY_ZONES", "[node]"},
		// Servers are containers: the kernel and its cgroups are the machine's.
		setting{"IGNORE_PREFLIGHT_ERRORS", "[SystemVerification]"},
	), err
}

// ownVariables are those that only the user of an own cloud knows.
func ownVariables(t target) ([]setting, error) {
	var all []setting
	var missing []string
	for _, one := range []setting{
		{"OPENSTACK_EXTERNAL_NETWORK_ID", ""}, {"OPENSTACK_DNS_NAMESERVERS", ""},
		{"OPENSTACK_CONTROL_PLANE_MACHINE_FLAVOR", ""}, {"OPENSTACK_NODE_MACHINE_FLAVOR", ""},
		{"OPENSTACK_IMAGE_NAME", node.Name}, {"OPENSTACK_FAILURE_DOMAIN", "null"},
		{"OPENSTACK_CONTROL_PLANE_AVAILABILITY_ZONES", "[]"},
		{"OPENSTACK_SSH_KEY_NAME", `""`}, {"IGNORE_PREFLIGHT_ERRORS", "null"},
	} {
		if value := os.Getenv(one.name); value != "" {
			one.value = value
		}
		if one.value == "" {
			missing = append(missing, one.name)
		}
		all = append(all, one)
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("set %s for cloud %s and try again", strings.Join(missing, ", "), t.entry)
	}
	return all, nil
}

// writeEnvironment writes the environment file.
func writeEnvironment(ctx context.Context, p *progress.Printer, t target, variables []setting) error {
	kubectl, err := component.Path(ctx, p, "kubectl")
	if err != nil {
		return err
	}
	clusterctl, err := component.Path(ctx, p, "clusterctl")
	if err != nil {
		return err
	}
	all := append([]setting{
		{"PATH", filepath.Dir(clusterctl) + ":" + filepath.Dir(kubectl) + ":$PATH"},
		{"KUBECONFIG", management.Kubeconfig()},
		{"CLUSTERCTL_DISABLE_VERSIONCHECK", "true"},
		{"CLUSTER_TOPOLOGY", "true"},
		{"OS_CLIENT_CONFIG_FILE", t.file},
		{"OS_CLOUD", t.entry},
	}, variables...)
	var out strings.Builder
	out.WriteString("# Made by `lab up`; use it with: source " + environmentFile() + "\n")
	for _, one := range all {
		fmt.Fprintf(&out, "export %s=%q\n", one.name, one.value)
	}
	fmt.Fprintf(&out, "clusterctl() { command clusterctl --config %q \"$@\"; }\n", management.Config())
	return os.WriteFile(environmentFile(), []byte(out.String()), 0o600)
}
