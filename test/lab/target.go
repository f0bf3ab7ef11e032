package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/capok/capok/cloud"
	"github.com/capok/capok/test/lab/place"
	"github.com/capok/capok/test/node"
	"github.com/capok/capok/test/openstack"
)

// target is the cloud that clusters are made on.
type target struct {
	own   bool   // the user's own one, not the one on this machine
	file  string // clouds.yaml
	entry string // in it
}

// localCloud is the entry of the cloud on this machine.
const localCloud = "capok"

// findTarget is the user's own cloud if $OS_CLOUD names one, and the one on
// this machine otherwise. The clouds.yaml is looked for where OpenStack's own
// clients look.
func findTarget() (target, error) {
	local := target{file: openstack.CloudsFile(), entry: localCloud}
	name, file := os.Getenv("OS_CLOUD"), os.Getenv("OS_CLIENT_CONFIG_FILE")
	if name == "" || file == local.file {
		return local, nil
	}
	home, _ := os.UserHomeDir()
	places := []string{"clouds.yaml", filepath.Join(home, ".config/openstack/clouds.yaml"), "/etc/openstack/clouds.yaml"}
	if file != "" {
		places = []string{file}
	}
	for _, file := range places {
		if _, err := os.Stat(file); err == nil {
			file, err = filepath.Abs(file)
			return target{own: true, file: file, entry: name}, err
		}
	}
	return target{}, fmt.Errorf("OS_CLOUD=%s, but there is no clouds.yaml in %s: set OS_CLIENT_CONFIG_FILE, or unset OS_CLOUD to use the OpenStack of this machine",
		name, strings.Join(places, ", "))
}

// ownFile remembers the user's own cloud that clusters were made on, so that
// they are deleted whatever the shell says by then.
func ownFile() string { return place.State("own-cloud.json") }

// remember notes the target; the cloud on this machine needs no note.
func (t target) remember() error {
	if !t.own {
		return os.RemoveAll(ownFile())
	}
	said, err := json.Marshal([]string{t.file, t.entry})
	if err != nil {
		return err
	}
	return writePrivate(ownFile(), string(said))
}

// startedTarget is the cloud that `lab up` was run with.
func startedTarget() (target, error) {
	said, err := os.ReadFile(ownFile())
	if errors.Is(err, os.ErrNotExist) {
		return target{file: openstack.CloudsFile(), entry: localCloud}, nil
	}
	var own [2]string
	if err == nil {
		err = json.Unmarshal(said, &own)
	}
	return target{own: true, file: own[0], entry: own[1]}, err
}

// credentials reads the cloud's entry of clouds.yaml, and the CA certificates
// that it names. The file's other clouds stay out of the clusters' Secrets.
func (t target) credentials() (cloud.Credentials, error) {
	content, err := os.ReadFile(t.file)
	if err != nil {
		return cloud.Credentials{}, err
	}
	var all struct {
		Clouds map[string]map[string]any `json:"clouds"`
	}
	if err := yaml.Unmarshal(content, &all); err != nil {
		return cloud.Credentials{}, fmt.Errorf("%s: %w", t.file, err)
	}
	entry, found := all.Clouds[t.entry]
	if !found {
		return cloud.Credentials{}, fmt.Errorf("%s has no cloud %q", t.file, t.entry)
	}
	all.Clouds = map[string]map[string]any{t.entry: entry}
	alone, err := yaml.Marshal(all)
	if err != nil {
		return cloud.Credentials{}, err
	}
	credentials := cloud.Credentials{CloudsYAML: alone, Cloud: t.entry}
	if bundle, _ := entry["cacert"].(string); bundle != "" {
		credentials.CACert, err = os.ReadFile(bundle)
	}
	return credentials, err
}

// externalNetwork is the ID of the network that clusters of this machine's
// cloud have their routers and floating IPs on.
func externalNetwork(ctx context.Context, session *cloud.Session) (string, error) {
	networking, err := session.Networking()
	if err != nil {
		return "", err
	}
	found, err := networking.Networks(ctx, cloud.NetworkFilter{Name: "public"})
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("the OpenStack of this machine has %d networks called public; `lab wipe` and `lab up` make it anew", len(found))
	}
	if err != nil {
		return "", err
	}
	return found[0].ID, nil
}

// checkImage says how to upload the node image when an own cloud lacks it.
func (t target) checkImage(ctx context.Context, path string) error {
	name := os.Getenv("OPENSTACK_IMAGE_NAME")
	if name == "" {
		name = node.Name
	}
	credentials, err := t.credentials()
	if err != nil {
		return err
	}
	session, err := cloud.Open(ctx, credentials)
	if err != nil {
		return fmt.Errorf("log in to cloud %s: %w", t.entry, err)
	}
	imaging, err := session.Imaging()
	if err != nil {
		return err
	}
	found, err := imaging.Images(ctx, cloud.ImageFilter{Name: name})
	if err == nil && len(found) == 0 {
		err = errors.New("cloud " + t.entry + " has no image " + name + ". Upload it and try again:\n" +
			"  openstack image create --disk-format qcow2 --container-format bare --file " + path + " " + name)
	}
	return err
}
