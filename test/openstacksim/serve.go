package openstacksim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// service is one OpenStack API.
type service struct {
	name string // as its project is called: "nova"
	kind string // its type in the catalog: "compute"
	root string // where its list of versions is: "/compute"
	base string // where its resources are: "/compute/v2.1"
	also string // where they are, too; may be empty

	// render writes an error the way this service does.
	render func(*apiError) any
	// prepare looks at a request before its handler does; may be nil.
	prepare func(*request) error
	// open services answer without a token.
	open bool
	// slash services take a slash at the end of a path.
	slash bool
}

// handler carries out a request. What it returns is the body, with the usual
// status of the verb, or a reply.
type handler func(*request) (any, error)

// reply is an answer with an unusual status or with headers.
type reply struct {
	status int
	body   any
	header http.Header
}

// request is what a handler sees of a request.
type request struct {
	*http.Request
	raw     []byte
	query   url.Values
	token   *token // nil where the service is open
	project string // ID
	minor   int    // of Nova's microversion 2.minor
	header  http.Header
}

// id is the part of the path that is called name.
func (q *request) id(name string) string { return q.PathValue(name) }

// on makes the service answer one kind of request. The path may have parts in
// braces; it is also what Call.Path shows.
func (c *Cloud) on(s *service, method, path string, h handler) {
	if c.without[s.name] {
		return
	}
	serve := func(w http.ResponseWriter, r *http.Request) { c.serve(w, r, s, path, h) }
	c.handlers[s.name+" "+method+" "+path] = h
	c.mux.HandleFunc(method+" "+s.base+path, serve)
	if s.also != "" {
		c.mux.HandleFunc(method+" "+s.also+path, serve)
	}
	if s.slash {
		c.mux.HandleFunc(method+" "+s.base+path+"/{$}", serve)
	}
}

// document makes the service answer a GET with a document that needs no token,
// with and without a slash at the end.
func (c *Cloud) document(s *service, path string, status int, body func() any) {
	if c.without[s.name] {
		return
	}
	open := *s
	open.open, open.prepare = true, nil
	serve := func(w http.ResponseWriter, r *http.Request) {
		c.serve(w, r, &open, path, func(*request) (any, error) { return reply{status: status, body: body()}, nil })
	}
	c.mux.HandleFunc("GET "+path, serve)
	c.mux.HandleFunc("GET "+path+"/{$}", serve)
}

// serve is the way of every request.
func (c *Cloud) serve(w http.ResponseWriter, r *http.Request, s *service, path string, h handler) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	call := &Call{Service: s.name, Method: r.Method, Path: path, URL: r.URL.RequestURI()}
	fate := ask(c, func() fate { return c.admit(call) })
	for _, hook := range fate.hooks {
		hook(*call)
	}
	if fate.delay > 0 {
		select {
		case <-c.Clock.After(fate.delay):
		case <-r.Context().Done():
			return
		}
	}
	switch {
	case fate.cut == cutBefore:
		hangUp(w)
		return
	case fate.answer != nil:
		c.locked(func() { call.Status = fate.answer.status })
		write(w, *fate.answer)
		return
	}
	answer := ask(c, func() reply {
		a := c.carryOut(&request{Request: r, raw: raw, query: r.URL.Query(), header: http.Header{}}, s, h)
		if fate.cut != cutAfter {
			call.Status = a.status
		}
		return a
	})
	for _, do := range fate.after {
		do()
	}
	if fate.cut == cutAfter {
		hangUp(w)
		return
	}
	write(w, answer)
}

// carryOut checks the token, runs the handler and renders what it returns.
func (c *Cloud) carryOut(q *request, s *service, h handler) reply {
	body, err := c.run(q, s, h)
	if err != nil {
		failed := asAPIError(err)
		for key, values := range failed.header {
			q.header[key] = values
		}
		return reply{failed.status, s.render(failed), q.header}
	}
	if special, ok := body.(reply); ok {
		if special.header == nil {
			special.header = q.header
		}
		return special
	}
	return reply{usualStatus[q.Method], body, q.header}
}

func (c *Cloud) run(q *request, s *service, h handler) (any, error) {
	if !s.open {
		if err := c.authenticate(q); err != nil {
			return nil, err
		}
	}
	if s.prepare != nil {
		if err := s.prepare(q); err != nil {
			return nil, err
		}
	}
	return h(q)
}

var usualStatus = map[string]int{
	http.MethodGet: http.StatusOK, http.MethodHead: http.StatusOK, http.MethodPut: http.StatusOK,
	http.MethodPatch: http.StatusOK, http.MethodPost: http.StatusCreated, http.MethodDelete: http.StatusNoContent,
}

func write(w http.ResponseWriter, a reply) {
	for key, values := range a.header {
		w.Header()[key] = values
	}
	text, isText := a.body.(string)
	if a.body == nil || isText {
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, text)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	_ = json.NewEncoder(w).Encode(a.body)
}

// hangUp closes the connection without an answer.
func hangUp(w http.ResponseWriter) {
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		return
	}
	if conn, _, err := hijacker.Hijack(); err == nil {
		_ = conn.Close()
	}
}

// notSimulated answers what nothing else answers.
func (c *Cloud) notSimulated(w http.ResponseWriter, r *http.Request) {
	what := r.Method + " " + r.URL.RequestURI()
	c.locked(func() {
		call := &Call{Service: strings.Trim(r.URL.Path, "/"), Method: r.Method, Path: r.URL.Path,
			URL: r.URL.RequestURI(), Status: http.StatusNotImplemented}
		c.admit(call)
		c.journal.unknown = append(c.journal.unknown, what)
	})
	write(w, reply{status: http.StatusNotImplemented, body: "openstacksim does not simulate " + what})
}

// partNotSimulated is for requests of which only some bodies are simulated.
func (c *Cloud) partNotSimulated(q *request) error {
	what := q.Method + " " + q.URL.RequestURI() + " " + string(q.raw)
	c.journal.unknown = append(c.journal.unknown, what)
	return refuse(http.StatusNotImplemented, "", "openstacksim does not simulate %s", what)
}

// apiError is a refusal; each service writes it in its own way.
type apiError struct {
	status  int
	kind    string // name of the exception where the service tells it
	message string
	header  http.Header
}

func (e *apiError) Error() string { return fmt.Sprintf("%d %s: %s", e.status, e.kind, e.message) }

// refuse makes an error; kind is the exception's name in the service's source.
func refuse(status int, kind, format string, args ...any) error {
	return &apiError{status: status, kind: kind, message: fmt.Sprintf(format, args...)}
}

func asAPIError(err error) *apiError {
	var e *apiError
	if errors.As(err, &e) {
		return e
	}
	return &apiError{status: http.StatusInternalServerError, kind: "InternalServerError", message: err.Error()}
}
