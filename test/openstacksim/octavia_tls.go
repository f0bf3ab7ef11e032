package openstacksim

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

var (
	headers    = []string{"X-Forwarded-For", "X-Forwarded-Port", "X-Forwarded-Proto"}
	sslHeaders = []string{"X-SSL-Client-Verify", "X-SSL-Client-Has-Cert", "X-SSL-Client-DN", "X-SSL-Client-CN", "X-SSL-Issuer",
		"X-SSL-Client-SHA1", "X-SSL-Client-Not-Before", "X-SSL-Client-Not-After"}
)

// checkHeaders is octavia/api/v2/controllers/listener.py, _validate_insert_headers.
func checkHeaders(l *Listener) error {
	if len(l.InsertHeaders) == 0 {
		return nil
	}
	if l.Protocol != "HTTP" && l.Protocol != "TERMINATED_HTTPS" {
		return refuse(http.StatusBadRequest, "", "insert-headers is not a valid option for a %s protocol listener.", l.Protocol)
	}
	for name := range l.InsertHeaders {
		if !slices.Contains(headers, name) && !slices.Contains(sslHeaders, name) {
			return refuse(http.StatusBadRequest, "", "['%s'] is not a valid option for insert_headers", name)
		}
		if slices.Contains(sslHeaders, name) && l.Protocol != "TERMINATED_HTTPS" {
			return refuse(http.StatusBadRequest, "", "['%s'] is not a valid option for %s protocol listener.", name, l.Protocol)
		}
	}
	return nil
}

// tlsRefs are the certificates of a listener in Barbican.
func (l *Listener) tlsRefs() []string {
	refs := slices.Clone(l.SNIContainers)
	if l.TLSContainer != nil && *l.TLSContainer != "" {
		refs = append(refs, *l.TLSContainer)
	}
	return refs
}

// checkTLS is octavia/api/v2/controllers/listener.py, _validate_create_listener,
// with the defaults of octavia/db/prepare.py, create_listener.
func (c *Cloud) checkTLS(l *Listener) error {
	if l.SNIContainers == nil {
		l.SNIContainers = []string{}
	}
	refs := l.tlsRefs()
	offload := l.Protocol == "TERMINATED_HTTPS" || l.Protocol == "PROMETHEUS" && len(refs) > 0
	if err := checkRefsFit(l, len(refs) > 0, offload); err != nil || !offload {
		return err
	}
	if err := checkTLSLists(l); err != nil {
		return err
	}
	return c.checkRefs(refs)
}

func checkRefsFit(l *Listener, given, offload bool) error {
	switch {
	case transport(l.Protocol) != "TCP" && given:
		return invalidBalancer("%s protocol listener does not support TLS.", l.Protocol)
	case !offload && (given || l.ClientCA != nil):
		return invalidBalancer("Certificate container references are not allowed on %s protocol listeners.", l.Protocol)
	case offload && !given:
		return invalidBalancer("An SNI or default certificate container reference must be provided for %s protocol listeners.", l.Protocol)
	case l.ClientAuth != "NONE" && l.ClientCA == nil:
		return invalidBalancer("Client authentication setting %s requires a client CA container reference.", l.ClientAuth)
	case l.ClientCRL != nil && l.ClientCA == nil:
		return invalidBalancer("A client authentication CA reference is required to specify a client authentication revocation list.")
	}
	return nil
}

func checkTLSLists(l *Listener) error {
	for _, list := range []struct {
		what, invalid string
		given         *[]string
		known, usual  []string
	}{
		{"TLS version", "TLS versions", &l.TLSVersions, []string{"SSLv3", "TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"}, []string{"TLSv1.2", "TLSv1.3"}},
		{"ALPN protocol", "ALPN protocol", &l.ALPN, []string{"h2", "http/1.1", "http/1.0"}, []string{"h2", "http/1.1", "http/1.0"}},
	} {
		switch {
		case *list.given == nil:
			*list.given = list.usual
		case len(*list.given) == 0: // octavia/common/validate.py
			return invalidBalancer("Empty %s list. Either specify at least one %s or remove this parameter to use the default.", list.what, list.what)
		}
		for _, value := range *list.given {
			if !slices.Contains(list.known, value) {
				return invalidBalancer("Invalid %s: %s", list.invalid, value)
			}
		}
	}
	return nil
}

// checkRefs is octavia/api/v2/controllers/base.py, _validate_tls_refs: each is a
// PKCS12 secret or a container of certificates in Barbican that Octavia can read.
// That it holds a certificate is not looked at.
func (c *Cloud) checkRefs(refs []string) error {
	var bad []string
	for _, ref := range refs {
		id := ref[strings.LastIndex(ref, "/")+1:]
		_, isSecret := c.keys.secrets.get(id)
		_, isContainer := c.keys.containers.get(id)
		if !isSecret && !isContainer {
			bad = append(bad, fmt.Sprintf("'%s'", ref))
		}
	}
	if len(bad) > 0 {
		return refuse(http.StatusBadRequest, "", "Could not retrieve certificate: [%s]", strings.Join(bad, ", "))
	}
	return nil
}
