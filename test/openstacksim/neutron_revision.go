package openstacksim

import (
	"net/http"
	"strconv"
	"strings"
)

// ifMatch refuses a change of a resource that is not what the client has seen:
// If-Match: revision_number=3 (neutron/api/api_common.py,
// check_request_for_revision_constraint; neutron/services/revisions/revision_plugin.py,
// RevisionNumberConstraintFailed).
func ifMatch(q *request, s *standard) error {
	for _, tag := range strings.Split(q.Header.Get("If-Match"), ",") {
		number, found := strings.CutPrefix(strings.Trim(strings.TrimSpace(tag), `"`), "revision_number=")
		if !found {
			continue
		}
		want, err := strconv.Atoi(number)
		if err != nil {
			return refuse(http.StatusBadRequest, "BadRequest",
				"Bad if-match request: Revision number etag must be in the format of revision_number=<int>.")
		}
		if want != s.Revision {
			return refuse(http.StatusPreconditionFailed, "RevisionNumberConstraintFailed",
				"Constrained to %d, but current revision is %d", want, s.Revision)
		}
	}
	return nil
}
