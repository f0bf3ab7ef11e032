package openstacksim

import (
	"cmp"
	"hash/fnv"
	"net/http"
	"time"
)

// build puts the life of a new server on the agenda: a host is found, ports and
// volumes become its own, then it is ACTIVE or ERROR
// (nova/conductor/manager.py, schedule_and_build_instances;
// nova/compute/manager.py, _build_and_run_instance).
func (c *Cloud) build(s *Server, networks []serverNetwork, volumes []blockDevice) {
	takes := c.delays.ServerBuild + c.spread(s.ID)
	quarter := takes / 4
	c.later(quarter, func() {
		if !c.alive(s) {
			return
		}
		host, found := c.pickHost(s)
		if !found {
			c.fail(s, noValidHost)
			return
		}
		s.Host, s.Zone, s.TaskState = host, c.zoneFor(s), "spawning"
		if err := c.equip(s, networks, volumes); err != nil {
			c.fail(s, "Build of instance "+s.ID+" aborted: "+asAPIError(err).message)
			return
		}
		c.later(takes-quarter, func() {
			if c.alive(s) {
				c.finishBuild(s)
			}
		})
	})
}

// spread is how much longer than others a server takes: the same for the same ID.
func (c *Cloud) spread(id string) time.Duration {
	if c.delays.ServerSpread <= 0 {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(id))
	return time.Duration(h.Sum64() % uint64(c.delays.ServerSpread))
}

func (c *Cloud) alive(s *Server) bool {
	_, ok := c.compute.servers.get(s.ID)
	return ok && s.TaskState != "deleting"
}

// finishBuild waits for the ports before the server is ACTIVE.
func (c *Cloud) finishBuild(s *Server) {
	if c.failAsTold(s) {
		return
	}
	c.plug(s, func(plugged bool) {
		if !plugged {
			c.fail(s, "Build of instance "+s.ID+" aborted: Failed to allocate the network(s), not rescheduling.")
			return
		}
		s.Status, s.TaskState, s.Launched, s.Updated = "ACTIVE", "", c.at, c.at
		for _, v := range s.Volumes {
			c.useVolume(v.ID, s.ID)
		}
	})
}

// failAsTold puts a server into ERROR if a test wants that; see SetServerFault.
func (c *Cloud) failAsTold(s *Server) bool {
	f, ok := c.compute.faults[s.Name]
	if ok {
		c.fail(s, f.Message)
		s.Fault.Code = f.Code
	}
	return ok
}

func (c *Cloud) fail(s *Server, message string) {
	s.Status, s.TaskState, s.Updated = "ERROR", "", c.at
	s.Fault = &ServerFault{Code: http.StatusInternalServerError, Created: c.stamp(), Message: message}
}

// equip gives a server its ports and volumes. Two servers that were created
// with one port both passed the API's check; the second fails here
// (nova/network/neutron.py, allocate_for_instance).
func (c *Cloud) equip(s *Server, networks []serverNetwork, volumes []blockDevice) error {
	s.PortIDs = nil
	owner := "compute:" + s.Zone
	for _, n := range networks {
		p, ok := c.network.ports.get(n.Port)
		switch {
		case n.Port == "":
			var err error
			if p, err = c.ownPort(s, n); err != nil {
				return err
			}
		case !ok:
			return refuse(http.StatusNotFound, "", "Port id %s could not be found.", n.Port)
		case p.DeviceID != "":
			return refuse(http.StatusConflict, "", "Port %s is still in use.", n.Port)
		}
		s.PortIDs = append(s.PortIDs, p.ID)
		c.attachPort(p, owner, s.ID, "DOWN")
	}
	return c.equipVolumes(s, volumes)
}

// ownPort makes a port in the network that was asked for; it goes with the server.
func (c *Cloud) ownPort(s *Server, want serverNetwork) (*Port, error) {
	n, ok := c.network.networks.get(want.UUID)
	if !ok {
		return nil, refuse(http.StatusNotFound, "", "Network %s could not be found.", want.UUID)
	}
	p := c.newPort(s.ProjectID)
	p.NetworkID, p.PortSecurity = n.ID, n.PortSecurity
	if p.PortSecurity {
		p.Groups = []string{c.defaultGroup(s.ProjectID).ID}
	}
	fixed := []FixedIP{{IPAddress: want.FixedIP}}
	var err error
	if p.FixedIPs, err = c.allocate(n, fixed, want.FixedIP == "", ""); err != nil {
		return nil, err
	}
	s.ownPorts = append(s.ownPorts, p.ID)
	return c.network.ports.add(p), nil
}

// deleteServer is nova/compute/api.py, delete: the server is there, with the
// task deleting, until its host has cleaned up; again is fine.
func (c *Cloud) deleteServer(q *request) (any, error) {
	s, err := c.server(q)
	if err != nil {
		return nil, err
	}
	c.startDelete(s)
	return nil, nil
}

func (c *Cloud) startDelete(s *Server) {
	if s.TaskState == "deleting" {
		return
	}
	s.Status, s.before = cmp.Or(s.before, s.Status), ""
	s.TaskState, s.Updated = "deleting", c.at
	c.later(c.delays.ServerDelete, func() { c.removeServer(s) })
}

// removeServer gives ports back, deletes Nova's own ones and those volumes that
// are to go with the server (nova/network/neutron.py, deallocate_for_instance;
// nova/compute/manager.py, _cleanup_volumes).
func (c *Cloud) removeServer(s *Server) {
	if _, ok := c.compute.servers.get(s.ID); !ok {
		return
	}
	c.compute.servers.drop(s.ID)
	for _, p := range c.portsOfServer(s) {
		c.releasePort(s, p)
	}
	for _, v := range s.Volumes {
		c.releaseVolume(v.ID, v.DeleteOnTermination)
	}
	gone := *s
	gone.Status, gone.TaskState, gone.Updated, gone.PortIDs = "DELETED", "", c.at, nil
	c.compute.gone = append(c.compute.gone, &gone)
}

// server is the one that a request names.
func (c *Cloud) server(q *request) (*Server, error) {
	s, ok := c.compute.servers.of(q.project, q.id("id"))
	if !ok {
		return nil, refuse(http.StatusNotFound, "", "Instance %s could not be found.", q.id("id"))
	}
	return s, nil
}

// showServer is GET /servers/{id}; see nova/api-guide/source/down_cells.rst for
// a cell that is down: a part since 2.69, an error before.
func (c *Cloud) showServer(q *request) (any, error) {
	s, err := c.server(q)
	if err != nil {
		return nil, err
	}
	if !c.compute.down[s.ID] {
		return wrap("server", s.detail(c, q.minor)), nil
	}
	if q.minor < 69 {
		return nil, refuse(http.StatusInternalServerError, "", "Unexpected API Error. Please report this at "+
			"http://bugs.launchpad.net/nova/ and attach the Nova API log if possible.\n<class 'nova.exception.InstanceNotFound'>")
	}
	return wrap("server", s.partial(c, q.minor)), nil
}
