package openstacksim

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	// heatPoll is how often Heat looks at what is in progress (heat/engine/scheduler.py, TaskRunner).
	heatPoll = time.Second
	// heatTries are the deletions that Heat sends while the answer is a conflict;
	// real ones are fewer and further apart (heat/common/config.py, action_retry_limit).
	heatTries = 30

	inProgress, complete, failed = "IN_PROGRESS", "COMPLETE", "FAILED"
)

func (s *Stack) caller() caller { return caller{s.user, s.ProjectID} }

// startStack begins an action; one that is in progress ends. A resource that
// fails is not tried again: action_retry_limit is 0 in this cloud.
func (c *Cloud) startStack(s *Stack, action string) {
	s.run++
	run := s.run
	for _, r := range s.resources {
		r.tries = 0
	}
	c.setStack(s, action, inProgress, "Stack "+action+" started")
	c.later(heatPoll, func() { c.workOn(s, run) })
}

func (c *Cloud) setStack(s *Stack, action, status, reason string) {
	s.Action, s.Status, s.Reason = action, status, reason
	c.addEvent(s, stackEvent{name: s.Name, physical: s.ID, status: action + "_" + status, reason: reason})
}

func (c *Cloud) setResource(s *Stack, r *stackResource, action, status, reason string) {
	r.Action, r.Status, r.Reason, r.Updated = action, status, reason, c.at
	c.addEvent(s, stackEvent{name: r.Name, physical: r.PhysicalID, status: action + "_" + status, reason: reason})
}

func (c *Cloud) addEvent(s *Stack, e stackEvent) {
	e.id, e.at = c.newID("event"), c.at
	s.events = append(slices.Clip(s.events), e)
}

// workOn does what can be done now and comes back while something is in progress
// (heat/engine/stack.py, converge_stack).
func (c *Cloud) workOn(s *Stack, run int) {
	if s.run != run {
		return
	}
	advance := c.removeResource
	order := slices.Backward(s.resources)
	if s.Action == "CREATE" {
		advance, order = c.createResource, slices.All(s.resources)
	}
	busy := false
	for _, r := range order {
		done, err := advance(s, r)
		if err != nil {
			c.failStack(s, r, err)
			return
		}
		busy = busy || !done
	}
	if busy {
		c.later(heatPoll, func() { c.workOn(s, run) })
		return
	}
	c.finishStack(s)
}

// finishStack forgets what was deleted (heat/engine/stack.py, purge_db).
func (c *Cloud) finishStack(s *Stack) {
	c.setStack(s, s.Action, complete, "Stack "+s.Action+" completed successfully")
	if s.Action == "CREATE" {
		return
	}
	s.resources = nil
	if s.Action == "DELETE" {
		c.orchestration.stacks.drop(s.ID)
		c.orchestration.gone[s.ID] = s
	}
}

// failStack ends an action at the first resource that fails, with the text of
// heat/common/exception.py, ResourceFailure.
func (c *Cloud) failStack(s *Stack, r *stackResource, err error) {
	e := asAPIError(err)
	kind := e.kind
	if kind == "" {
		kind = strings.ReplaceAll(http.StatusText(e.status), " ", "")
	}
	action := r.Action
	c.setResource(s, r, action, failed, kind+": "+e.message)
	for _, other := range s.resources {
		if other.Status == inProgress {
			c.setResource(s, other, other.Action, failed, other.Action+" aborted")
		}
	}
	c.setStack(s, s.Action, failed, fmt.Sprintf("Resource %s failed: %s: resources.%s: %s", action, kind, r.Name, e.message))
	if s.Action == "CREATE" && !s.DisableRollback {
		c.startStack(s, "ROLLBACK")
	}
}

// createResource takes a resource one step on, once all that it needs is there.
func (c *Cloud) createResource(s *Stack, r *stackResource) (done bool, err error) {
	if r.is("CREATE", complete) {
		return true, nil
	}
	for _, need := range r.needs {
		if other, _ := s.resource(need); !other.is("CREATE", complete) {
			return false, nil
		}
	}
	if r.Action != "CREATE" {
		c.setResource(s, r, "CREATE", inProgress, "state changed")
		if err := c.makeResource(s, r); err != nil {
			return false, err
		}
	}
	done, err = c.resourceReady(s, r)
	if done {
		c.setResource(s, r, "CREATE", complete, "state changed")
	}
	return done, err
}

func (r *stackResource) is(action, status string) bool {
	return r.Action == action && r.Status == status
}

func (c *Cloud) makeResource(s *Stack, r *stackResource) error {
	k := stackKinds[r.Type]
	properties, err := c.propertiesOf(s, r)
	if err != nil {
		return err
	}
	if _, ok := properties["name"]; !ok && slices.Contains(k.properties, "name") {
		properties["name"] = fmt.Sprintf("%s-%s-%.12s", s.Name, r.Name, hexOf(s.ID+r.Name)) // physical_resource_name
	}
	create := k.create
	if create == nil {
		create = (*Cloud).post
	}
	r.PhysicalID, err = create(c, k, s.caller(), properties)
	return err
}

// resourceReady is check_create_complete of heat/engine/clients/os/nova.py,
// _check_active, and of heat/engine/resources/openstack/octavia/octavia_base.py.
func (c *Cloud) resourceReady(s *Stack, r *stackResource) (bool, error) {
	k := stackKinds[r.Type]
	if k.status == "" {
		return true, nil
	}
	body, err := c.within(s.caller(), k.service(c), "GET "+k.path+"/{id}", r.PhysicalID, nil)
	if err != nil {
		return false, err
	}
	shown := object(body, k.one)
	if shown[k.status] != onError {
		return shown[k.status] == active, nil
	}
	reason := "Unknown"
	if fault := object(shown, "fault"); len(fault) > 0 {
		reason = fmt.Sprintf("Message: %v, Code: %v", fault["message"], fault["code"])
	}
	return false, refuse(http.StatusInternalServerError, "ResourceInError", "Went to status ERROR due to %q", reason)
}

// removeResource takes the removal of a resource one step on, once nothing of
// the stack needs it. What is retained is only forgotten
// (heat/engine/resource.py, delete).
func (c *Cloud) removeResource(s *Stack, r *stackResource) (done bool, err error) {
	if r.is("DELETE", complete) {
		return true, nil
	}
	for _, other := range s.resources {
		if slices.Contains(other.needs, r.Name) && !other.is("DELETE", complete) {
			return false, nil
		}
	}
	if r.PhysicalID == "" || r.definition.retained() {
		c.setResource(s, r, "DELETE", complete, "state changed")
		return true, nil
	}
	if !r.is("DELETE", inProgress) {
		c.setResource(s, r, "DELETE", inProgress, "state changed")
	}
	done, err = c.unmakeResource(s, r)
	if done {
		c.setResource(s, r, "DELETE", complete, "state changed")
	}
	return done, err
}

// unmakeResource sends the deletion until it is accepted, then looks whether the
// resource is gone.
func (c *Cloud) unmakeResource(s *Stack, r *stackResource) (gone bool, err error) {
	k := stackKinds[r.Type]
	switch {
	case r.tries < 0: // accepted
		_, err = c.within(s.caller(), k.service(c), "GET "+k.path+"/{id}", r.PhysicalID, nil)
	case k.remove != nil:
		err = k.remove(c, s.caller(), r.PhysicalID)
	default:
		_, err = c.within(s.caller(), k.service(c), "DELETE "+k.path+"/{id}", r.PhysicalID, nil)
	}
	switch {
	case err == nil:
		r.tries = -1
		return k.status == "", nil
	case asAPIError(err).status == http.StatusNotFound:
		return true, nil
	case asAPIError(err).status == http.StatusConflict && r.tries < heatTries:
		r.tries++
		return false, nil
	}
	return false, err
}

// retained says whether the resource outlives its stack.
func (d *resourceDefinition) retained() bool {
	return d.DeletionPolicy != nil && strings.EqualFold(*d.DeletionPolicy, "retain")
}
