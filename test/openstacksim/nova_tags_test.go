package openstacksim

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/tags"
)

func TestServerTags(t *testing.T) {
	c := start(t)
	network, _, _ := c.network()
	id := c.server("m0", c.create("port", body{"network_id": network}))
	nova := c.nova("79")
	wantCode(t, tags.Add(t.Context(), nova, id, "a").ExtractErr(), http.StatusConflict,
		"Cannot 'update tag' instance "+id+" while it is in vm_state building")
	c.advance(10 * time.Second)

	if err := tags.Add(t.Context(), nova, id, "a").ExtractErr(); err != nil {
		t.Fatal(err)
	}
	c.want(http.StatusNoContent, "PUT", novaURL+"/servers/"+id+"/tags/a", nil, "") // it is there
	c.want(http.StatusCreated, "PUT", novaURL+"/servers/"+id+"/tags/b", nil, "")
	if has := must(tags.Check(t.Context(), nova, id, "a").Extract())(t); !has {
		t.Error("no tag a")
	}
	wantCode(t, tags.Delete(t.Context(), nova, id, "z").ExtractErr(), http.StatusNotFound, "has no tag 'z'")
	if err := tags.Delete(t.Context(), nova, id, "cx").ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if got := must(tags.List(t.Context(), nova, id).Extract())(t); !slices.Equal(got, []string{"m0", "a", "b"}) {
		t.Errorf("tags: %v", got)
	}
	var many []string
	for i := range maxTags {
		many = append(many, fmt.Sprintf("t%02d", i))
	}
	got := must(tags.ReplaceAll(t.Context(), nova, id, tags.ReplaceAllOpts{Tags: many}).Extract())(t)
	if !slices.Equal(got, many) {
		t.Errorf("tags: %v", got)
	}
	wantCode(t, tags.Add(t.Context(), nova, id, "more").ExtractErr(), http.StatusBadRequest, "exceeded the per-server limit 50")
	if err := tags.DeleteAll(t.Context(), nova, id).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	if got := c.sim.Servers("m0")[0].Tags; len(got) > 0 {
		t.Errorf("tags: %v", got)
	}
	_, err := tags.List(t.Context(), c.nova("25"), id).Extract()
	wantCode(t, err, http.StatusNotFound, "could not be found")
}
