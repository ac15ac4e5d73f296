package matrix_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/test/conformance"
)

// sharedCaches is what a cache between the server and its callers would keep: answers that say that they are for all,
// by host and path.
type sharedCaches map[string]*conformance.Answer

// look complains of an answer that such a cache may keep although it is for one caller. It sees those of every
// operation to every kind of credential, so that a new operation is held to the rule by itself.
func (s sharedCaches) look(t *testing.T, o operation, column string, c conformance.Call, a *conformance.Answer) {
	t.Helper()
	said := directives(a.Header)
	switch {
	case said["private"], said["no-store"]:
		return
	case !said["public"]:
		t.Errorf("%s %s: %s was answered %d with Cache-Control %q, which lets a shared cache keep it",
			o.service(), o.name(), column, a.Status, a.Header.Get("Cache-Control"))
		return
	case o.route.Access != route.Open && !varies(a.Header, "Authorization"):
		t.Errorf("%s %s: %s was answered %d for all, and the answer depends on who asks", o.service(), o.name(), column,
			a.Status)
	case o.route.Access != route.Open && column != "none":
		t.Errorf("%s %s: what %s was answered (%d) is for all", o.service(), o.name(), column, a.Status)
	}
	key := c.Method + " " + c.Host + c.Path
	if first := s[key]; first == nil {
		s[key] = a
	} else if first.Status != a.Status || !bytes.Equal(first.Body, a.Body) {
		t.Errorf("%s %s: %s is answered otherwise than another caller, and both answers are for all", o.service(), o.name(),
			column)
	}
}

// directives are the words of a Cache-Control.
func directives(h http.Header) map[string]bool {
	said := map[string]bool{}
	for directive := range strings.SplitSeq(strings.Join(h["Cache-Control"], ","), ",") {
		said[strings.ToLower(strings.TrimSpace(directive))] = true
	}
	return said
}

func varies(h http.Header, name string) bool {
	for listed := range strings.SplitSeq(strings.Join(h["Vary"], ","), ",") {
		if strings.EqualFold(strings.TrimSpace(listed), name) {
			return true
		}
	}
	return false
}
