package openstacksim

import (
	"net/http"
	"testing"
)

func TestMicroversions(t *testing.T) {
	c := start(t)
	for _, tc := range []struct {
		why, header, value string
		status             int
		answered           string
	}{
		{"none is the oldest", "OpenStack-API-Version", "", 200, "2.1"},
		{"another service's counts for nothing", "OpenStack-API-Version", "volume 3.59", 200, "2.1"},
		{"one in the range", "OpenStack-API-Version", "compute 2.79", 200, "2.79"},
		{"the newest by name", "OpenStack-API-Version", "compute latest", 200, "2.93"},
		{"the header of before 2.27", "X-OpenStack-Nova-API-Version", "2.26", 200, "2.26"},
		{"too new", "OpenStack-API-Version", "compute 2.94", 406, ""},
		{"too old", "OpenStack-API-Version", "compute 2.0", 406, ""},
		{"another major", "OpenStack-API-Version", "compute 3.1", 406, ""},
		{"not two numbers", "OpenStack-API-Version", "compute 79", 400, ""},
	} {
		t.Run(tc.why, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), "GET", c.url+novaURL+"/servers", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("X-Auth-Token", c.token)
			req.Header.Set(tc.header, tc.value)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if got := resp.Header.Get("X-OpenStack-Nova-API-Version"); resp.StatusCode != tc.status || got != tc.answered {
				t.Errorf("%d with version %q, want %d with %q", resp.StatusCode, got, tc.status, tc.answered)
			}
		})
	}
}
