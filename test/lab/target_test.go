package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/capok/capok/test/openstack"
)

func TestFindTarget(t *testing.T) {
	t.Setenv("CAPOK_STATE", t.TempDir())
	own := filepath.Join(t.TempDir(), "clouds.yaml")
	if err := os.WriteFile(own, []byte("clouds: {mine: {}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		why, cloud, file string
		own              bool
	}{
		{"nothing set", "", "", false},
		{"a file without a cloud says nothing", "", own, false},
		{"the user's own", "mine", own, true},
		{"the environment file of an earlier up was sourced", "capok", openstack.CloudsFile(), false},
	} {
		t.Run(test.why, func(t *testing.T) {
			t.Setenv("OS_CLOUD", test.cloud)
			t.Setenv("OS_CLIENT_CONFIG_FILE", test.file)
			got, err := findTarget()
			if err != nil || got.own != test.own {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
	t.Setenv("OS_CLOUD", "mine")
	t.Setenv("OS_CLIENT_CONFIG_FILE", filepath.Join(t.TempDir(), "missing"))
	if _, err := findTarget(); err == nil || !strings.Contains(err.Error(), "OS_CLIENT_CONFIG_FILE") {
		t.Errorf("a missing clouds.yaml is not explained: %v", err)
	}
}

// TestCredentialsOfOneCloud: what goes into a cluster's Secret opens its cloud
// and no other.
func TestCredentialsOfOneCloud(t *testing.T) {
	dir := t.TempDir()
	file, bundle := filepath.Join(dir, "clouds.yaml"), filepath.Join(dir, "ca.pem")
	content := "clouds:\n  mine: {auth: {password: p1}, cacert: " + bundle + "}\n  admin: {auth: {password: p2}}\n"
	for path, text := range map[string]string{file: content, bundle: "certificates"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := target{file: file, entry: "mine"}.credentials()
	if err != nil {
		t.Fatal(err)
	}
	if text := string(got.CloudsYAML); !strings.Contains(text, "p1") || strings.Contains(text, "p2") || string(got.CACert) != "certificates" {
		t.Errorf("credentials of mine: %s with CA %q", text, got.CACert)
	}
	if _, err := (target{file: file, entry: "other"}).credentials(); err == nil {
		t.Error("a cloud that is not in the file was found")
	}
}

func TestOwnVariables(t *testing.T) {
	required := []string{"OPENSTACK_EXTERNAL_NETWORK_ID", "OPENSTACK_DNS_NAMESERVERS", "OPENSTACK_CONTROL_PLANE_MACHINE_FLAVOR", "OPENSTACK_NODE_MACHINE_FLAVOR"}
	for _, name := range required {
		t.Setenv(name, "")
	}
	_, err := ownVariables(target{entry: "mine"})
	for _, name := range required {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not asked for: %v", name, err)
		}
		t.Setenv(name, "value-of-"+name)
	}
	all, err := ownVariables(target{entry: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range required {
		if !slices.Contains(all, setting{name, "value-of-" + name}) {
			t.Errorf("%s did not get through: %+v", name, all)
		}
	}
}

func TestWaitingNamesTheFirstUnmetCondition(t *testing.T) {
	machine := conditioned{Kind: "OpenStackMachine"}
	machine.Metadata.Name = "m0"
	machine.Status.Conditions = []metav1.Condition{
		{Type: "Ready", Status: metav1.ConditionFalse, Reason: "Creating", Message: "the summary"},
		{Type: "Paused", Status: metav1.ConditionFalse, Reason: "NotPaused"},
		{Type: "PortsReady", Status: metav1.ConditionTrue},
		{Type: "ServerReady", Status: metav1.ConditionFalse, Reason: "NoCapacity", Message: "no valid host"},
	}
	if got, want := machine.waiting(), "\n    OpenStackMachine m0: NoCapacity, no valid host"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMebibytes(t *testing.T) {
	const stat = "cache 1048576\ntotal_cache 3145728\ntotal_rss 5242880\n"
	if got := mebibytes(stat, "total_rss"); got != 5 {
		t.Errorf("got %d MiB, want 5", got)
	}
	if got := mebibytes(stat, "anon"); got != 0 {
		t.Errorf("got %d MiB of a field that is not there", got)
	}
}
