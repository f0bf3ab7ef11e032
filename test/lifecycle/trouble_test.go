package lifecycle

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/capok/capok/test/openstacksim"
)

// trouble is what comes to one write of the manager. The zero value: none.
type trouble struct {
	where side
	n     int // which write there, from 1
	what  what
}

func (t trouble) String() string { return fmt.Sprintf("%s %s write %d", t.what, t.where, t.n) }

type side string

const (
	openstack  side = "openstack"
	kubernetes side = "kubernetes"
)

type what string

const (
	// refused: the write does not take effect; the answer is an error, 500 or 409.
	refused what = "refused"
	// cut: it takes effect, the answer is lost, the manager lives on.
	cut what = "cut"
	// killed: it takes effect, and the manager ends before the answer comes.
	killed what = "killed"
	// deleted: the user deletes the Cluster right after it.
	deleted what = "deleted"
)

var errCut = errors.New("the connection to the API server was cut")

// prepare lets a trouble wait in the cloud.
func (w *world) prepare(t trouble) {
	if t.where != openstack {
		return
	}
	switch t.what {
	case refused:
		status := []int{http.StatusInternalServerError, http.StatusConflict}[t.n%2]
		w.cloud.FailNth(openstacksim.Match{Writes: true}, t.n, status, "trouble")
	case cut:
		w.cloud.CutAfter(t.n)
	case killed:
		w.cloud.CutAfter(t.n)
		w.cloud.AfterWrite(t.n, func() { w.process.kill() })
	case deleted:
		w.cloud.AfterWrite(t.n, w.deleteNow)
	}
}

// send lets a write to Kubernetes through, or its trouble happen.
func (w *world) send(write func() error) error {
	w.writes++
	i := slices.IndexFunc(w.troubles, func(t trouble) bool { return t.where == kubernetes && t.n == w.writes })
	if i < 0 {
		return write()
	}
	t := w.troubles[i]
	if t.what == refused && t.n%2 == 0 {
		return apierrors.NewInternalError(errors.New("trouble"))
	}
	if t.what == refused {
		return apierrors.NewConflict(schema.GroupResource{}, "", errors.New("trouble"))
	}
	err := write()
	switch t.what {
	case cut:
		return errors.Join(err, errCut)
	case killed:
		w.process.kill()
		return errKilled
	case deleted:
		w.deleteNow()
	case refused: // before it took effect, see above
	}
	return err
}

// deleteNow deletes the Cluster while a pass is under way.
func (w *world) deleteNow() {
	w.deleted = true
	if err := w.api.user.Delete(w.Context(), &clusterv1.Cluster{ObjectMeta: w.meta(clusterName)}); client.IgnoreNotFound(err) != nil {
		w.Error(err)
	}
	w.wakeAll()
}

// count is how many writes there were.
func (w *world) count() map[side]int {
	return map[side]int{openstack: w.cloud.Writes(), kubernetes: w.writes}
}

// wantTrouble checks that a trouble came: a story does the same every time.
func (w *world) wantTrouble(t trouble) {
	w.Helper()
	if t.n > w.count()[t.where] {
		w.Errorf("the story had only %d writes to %s", w.count()[t.where], t.where)
	}
}
