package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/yaml"
)

// Types of services in the catalog (service-types authority).
const (
	compute = "compute"
	network = "network"
	balance = "load-balancer"
	imaging = "image"
	storage = "block-storage"
)

// object is a JSON object, list a JSON array.
type (
	object = map[string]any
	list   = []any
)

// credentials are what a clouds.yaml says.
type credentials struct {
	AuthURL, User, Password, Project, Domain, Region string
}

// readClouds reads one cloud of a clouds.yaml: user and password in one domain.
func readClouds(path, name string) credentials {
	GinkgoHelper()
	content, err := os.ReadFile(path)
	Expect(err).NotTo(HaveOccurred(), "OS_CLIENT_CONFIG_FILE names the clouds.yaml")
	var file struct {
		Clouds map[string]struct {
			Region string `json:"region_name"`
			Auth   struct {
				URL      string `json:"auth_url"`
				User     string `json:"username"`
				Password string `json:"password"`
				Project  string `json:"project_name"`
				Domain   string `json:"user_domain_name"`
			} `json:"auth"`
		} `json:"clouds"`
	}
	Expect(yaml.Unmarshal(content, &file)).To(Succeed())
	Expect(file.Clouds).To(HaveKey(name))
	c := file.Clouds[name]
	return credentials{AuthURL: strings.TrimSuffix(strings.TrimSuffix(c.Auth.URL, "/"), "/v3"),
		User: c.Auth.User, Password: c.Auth.Password, Project: c.Auth.Project, Domain: c.Auth.Domain, Region: c.Region}
}

// api is a cloud as seen by one user in one project.
type api struct {
	credentials
	token, user, project string
	urls                 map[string]string // by type of service; of the newest API version that we use
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   object
	text   string
}

// String is what a failed assertion prints.
func (a answer) String() string { return fmt.Sprintf("%d %s", a.status, a.text) }

// send makes a request. Nova is asked in the microversion that Capok uses, unless the
// headers, names and values in turn, say another.
func (c *api) send(ctx context.Context, method, url string, in any, header ...string) answer {
	GinkgoHelper()
	var reader io.Reader
	if in != nil {
		content, err := json.Marshal(in)
		Expect(err).NotTo(HaveOccurred())
		reader = bytes.NewReader(content)
	}
	request, err := http.NewRequestWithContext(ctx, method, url, reader)
	Expect(err).NotTo(HaveOccurred())
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Auth-Token", c.token)
	if nova := c.urls[compute]; nova != "" && strings.HasPrefix(url, nova) { // Cinder takes offence
		request.Header.Set("OpenStack-API-Version", "compute 2.53")
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	Expect(err).NotTo(HaveOccurred())
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	Expect(err).NotTo(HaveOccurred())
	a := answer{status: response.StatusCode, header: response.Header, text: string(text)}
	_ = json.Unmarshal(text, &a.body) // errors of proxies are no JSON
	return a
}

// url is the address of something in a service.
func (c *api) url(service, path string) string {
	GinkgoHelper()
	Expect(c.urls).To(HaveKey(service), "the catalog has the service")
	return c.urls[service] + path
}

func (c *api) get(ctx context.Context, service, path string) answer {
	GinkgoHelper()
	return c.send(ctx, http.MethodGet, c.url(service, path), nil)
}

func (c *api) post(ctx context.Context, service, path string, in any) answer {
	GinkgoHelper()
	return c.send(ctx, http.MethodPost, c.url(service, path), in)
}

func (c *api) put(ctx context.Context, service, path string, in any) answer {
	GinkgoHelper()
	return c.send(ctx, http.MethodPut, c.url(service, path), in)
}

func (c *api) delete(ctx context.Context, service, path string) answer {
	GinkgoHelper()
	return c.send(ctx, http.MethodDelete, c.url(service, path), nil)
}

// objects are the elements of a list in the answer.
func (a answer) objects(key string) []object {
	GinkgoHelper()
	Expect(a.body).To(HaveKey(key), a.String())
	var found []object
	for _, o := range a.body[key].(list) {
		found = append(found, o.(object))
	}
	return found
}

// object is the object below a key of the answer.
func (a answer) object(key string) object {
	GinkgoHelper()
	Expect(a.body).To(HaveKey(key), a.String())
	return a.body[key].(object)
}

// values are one field of all objects.
func values(objects []object, field string) []any {
	var all []any
	for _, o := range objects {
		all = append(all, o[field])
	}
	return all
}

func id(o object) string { return fmt.Sprint(o["id"]) }
