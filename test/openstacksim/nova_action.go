package openstacksim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// serverAction carries out what the body of POST /servers/{id}/action names
// (nova/api/openstack/wsgi.py, Resource.get_action_method).
func (c *Cloud) serverAction(q *request) (any, error) {
	s, err := c.server(q)
	if err != nil {
		return nil, err
	}
	var body map[string]json.RawMessage
	if json.Unmarshal(q.raw, &body) != nil || len(body) != 1 {
		return nil, badServer("Malformed request body")
	}
	accepted := reply{status: http.StatusAccepted}
	for name, details := range body {
		switch name {
		case "reboot":
			return accepted, c.reboot(s, details)
		case "os-stop":
			return accepted, c.stop(s)
		case "os-start":
			return accepted, c.startServer(s)
		case "rebuild":
			return c.rebuild(q, s)
		case "os-getConsoleOutput":
			return consoleOutput(s, details)
		}
		what := q.Method + " " + q.URL.RequestURI() + " " + name
		c.journal.unknown = append(c.journal.unknown, what)
	}
	return nil, refuse(http.StatusNotImplemented, "", "openstacksim does not simulate this action: %s", q.raw)
}

// allowed is nova/compute/api.py, check_instance_state: the server is in one of
// the states, has no task and was ACTIVE once. The text is of
// nova/api/openstack/common.py, raise_http_conflict_for_instance_invalid_state.
func (s *Server) allowed(action string, states ...string) error {
	conflict := func(attribute, value string) error {
		return refuse(http.StatusConflict, "", "Cannot '%s' instance %s while it is in %s %s", action, s.ID, attribute, value)
	}
	switch {
	case !slices.Contains(states, s.vmState()):
		return conflict("vm_state", s.vmState())
	case s.TaskState != "":
		return conflict("task_state", s.TaskState)
	case s.Launched.IsZero():
		return refuse(http.StatusConflict, "", "Instance %s is in an invalid state for '%s'", s.ID, action)
	}
	return nil
}

// hasHost is nova/compute/api.py, check_instance_host, and nova/exception.py,
// InstanceNotReady.
func (s *Server) hasHost() error {
	if s.Host == "" {
		return refuse(http.StatusConflict, "", "Instance %s is not ready", s.ID)
	}
	return nil
}

// task lets a server show a status for as long as an action takes; end then says
// what it is in after that. A server that is deleted or set meanwhile is left alone.
func (c *Cloud) task(s *Server, task, shown string, end func()) {
	s.before = cmp.Or(s.before, s.Status)
	s.Status, s.TaskState, s.Updated = shown, task, c.at
	c.later(c.delays.ServerAction, func() {
		if s.TaskState != task {
			return
		}
		s.Status, s.before, s.TaskState, s.Updated = s.before, "", "", c.at
		end()
	})
}

// reboot is nova/compute/api.py, _soft_reboot (only what is active) and
// _hard_reboot (also what is stopped, in error or being rebooted); the status
// meanwhile is of nova/api/openstack/common.py, _STATE_MAP.
func (c *Cloud) reboot(s *Server, details json.RawMessage) error {
	var want struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal(details, &want)
	task, shown, states := "rebooting", "REBOOT", []string{"active"}
	switch strings.ToUpper(want.Type) {
	case "SOFT":
	case "HARD":
		task, shown, states = "rebooting_hard", "HARD_REBOOT", []string{"active", "stopped", "error"}
	default:
		return badServer("Invalid input for field/attribute type. Value: %s. '%s' is not one of ['HARD', 'Hard', 'hard', 'SOFT', 'Soft', 'soft']",
			want.Type, want.Type)
	}
	if err := s.allowed("reboot", states...); err != nil && (task == "rebooting" || !strings.HasPrefix(s.TaskState, "rebooting")) {
		return err
	}
	if s.vmState() != "active" {
		shown = s.Status
	}
	c.task(s, task, shown, func() {
		s.Status, s.Fault = "ACTIVE", nil
		c.rewire(s)
	})
	return nil
}

// stop is nova/compute/api.py, stop. The agent finds the ports gone from the
// host (neutron/plugins/ml2/rpc.py, update_device_down).
func (c *Cloud) stop(s *Server) error {
	if err := cmp.Or(s.hasHost(), s.allowed("stop", "active", "error")); err != nil {
		return err
	}
	c.task(s, "powering-off", s.Status, func() {
		s.Status = "SHUTOFF"
		for _, p := range c.portsOfServer(s) {
			p.Status = "DOWN"
			c.touch(p)
		}
	})
	return nil
}

// startServer is nova/compute/api.py, start.
func (c *Cloud) startServer(s *Server) error {
	if err := cmp.Or(s.hasHost(), s.allowed("start", "stopped")); err != nil {
		return err
	}
	c.task(s, "powering-on", s.Status, func() {
		s.Status = "ACTIVE"
		c.rewire(s)
	})
	return nil
}

// rebuild is nova/compute/api.py, rebuild: a new disk from an image on the same
// host, with the same ports; what was stopped is stopped again afterwards
// (nova/compute/manager.py, _do_rebuild_instance). Before 2.75 Nova's answer has
// fewer attributes than this one.
func (c *Cloud) rebuild(q *request, s *Server) (any, error) {
	changed := *s
	want, err := c.readRebuild(q, &changed)
	if err != nil {
		return nil, err
	}
	if err := s.allowed("rebuild", "active", "stopped", "error"); err != nil {
		return nil, err
	}
	if s.ImageID == "" && q.minor < 93 && c.rootImage(s) != want {
		return nil, badServer("Image %s is unacceptable: Unable to rebuild with a different image for a volume-backed server.", want)
	}
	*s = changed
	if s.ImageID != "" {
		s.ImageID = want
	}
	c.task(s, "rebuilding", "REBUILD", func() {
		if s.Status == "ERROR" {
			s.Status = "ACTIVE"
		}
		s.Fault, s.Launched = nil, c.at
		c.failAsTold(s)
	})
	return reply{status: http.StatusAccepted, body: wrap("server", s.detail(c, q.minor))}, nil
}

// readRebuild changes a copy of the server and returns the image that is wanted
// (nova/api/openstack/compute/schemas/servers.py, rebuild).
func (c *Cloud) readRebuild(q *request, changed *Server) (string, error) {
	want := struct {
		ImageRef string            `json:"imageRef"`
		Name     string            `json:"name"`
		Metadata map[string]string `json:"metadata"`
		KeyName  string            `json:"key_name"`
		UserData string            `json:"user_data"`
	}{Name: changed.Name, Metadata: changed.Metadata, KeyName: changed.KeyName, UserData: changed.UserData}
	allowed := []string{"imageRef", "name", "metadata", "adminPass", "accessIPv4", "accessIPv6", "OS-DCF:diskConfig", "preserve_ephemeral"}
	for name, since := range map[string]int{"description": 19, "key_name": 54, "user_data": 57, "trusted_image_certificates": 63, "hostname": 90} {
		if q.minor >= since {
			allowed = append(allowed, name)
		}
	}
	if _, err := q.decode("rebuild", &want, allowed...); err != nil {
		return "", unexpected(err)
	}
	if _, ok := c.image.images.get(want.ImageRef); !ok {
		return "", badServer("Cannot find image for rebuild")
	}
	changed.Name, changed.Metadata, changed.KeyName, changed.UserData = want.Name, want.Metadata, want.KeyName, want.UserData
	return want.ImageRef, nil
}

// rootImage is the image of the volume that a server boots from.
func (c *Cloud) rootImage(s *Server) string {
	for _, attached := range s.Volumes {
		if v, ok := c.volumeByID(attached.ID); ok && v.ImageID != "" {
			return v.ImageID
		}
	}
	return ""
}

// consoleOutput is nova/compute/manager.py, _tail_log: without a length all of
// it (-1 too), else so many pieces between line ends, which counts what is after the
// last one; the length is a number or the text of one.
func consoleOutput(s *Server, details json.RawMessage) (any, error) {
	var want struct {
		Length any `json:"length"`
	}
	_ = json.Unmarshal(details, &want)
	if err := s.hasHost(); err != nil {
		return nil, err
	}
	output := s.Console
	if want.Length != nil {
		length, err := strconv.Atoi(fmt.Sprint(want.Length))
		if err != nil || length < -1 {
			return nil, badServer("Invalid input for field/attribute length. Value: %v. %v is less than the minimum of -1", want.Length, want.Length)
		}
		if pieces := strings.Split(output, "\n"); length >= 0 {
			output = strings.Join(pieces[max(0, len(pieces)-length):], "\n")
		}
	}
	return reply{status: http.StatusOK, body: wrap("output", output)}, nil
}
