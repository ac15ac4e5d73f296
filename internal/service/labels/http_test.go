package labels_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/labels"
)

const target = "/v2/limits/label?name=limits/label"

func build(c labels.Config) identitytest.Build {
	return func(w *world.World, identity *identity.Identity) module.Module {
		return labels.New(w, identity, c).Module()
	}
}

// defaultLimits is the whole answer, written out: a value that is lost or swapped
// shows.
const defaultLimits = `{
	"name": "limits/label", "maxTitleLength": 50, "maxDescriptionLength": 250, "maxFields": 10, "maxDeletedFields": 100,
	"maxDraftRevisions": 100,
	"fieldLimits": {
		"maxIdLength": 40, "maxDisplayNameLength": 50, "maxDescriptionLength": 250,
		"textLimits": {"minLength": 0, "maxLength": 100}, "longTextLimits": {"minLength": 0, "maxLength": 250},
		"integerLimits": {"minValue": "-9007199254740991", "maxValue": "9007199254740991"},
		"dateLimits": {
			"minValue": {"year": 1, "month": 1, "day": 1}, "maxValue": {"year": 9999, "month": 12, "day": 31}
		},
		"userLimits": {"listLimits": {"maxEntries": 10}},
		"selectionLimits": {
			"listLimits": {"maxEntries": 10}, "maxIdLength": 40, "maxDisplayNameLength": 50, "maxChoices": 200,
			"maxDeletedChoices": 200
		}
	}
}`

func TestGetLabel(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(labels.DefaultConfig()))
	auth := "Authorization: Bearer " + h.Token("ada")

	t.Run("serves the configured values", func(t *testing.T) {
		t.Parallel()
		w := h.Call("GET", target, "", auth)
		if w.Code != http.StatusOK {
			t.Fatalf("status = %d, want 200: %s", w.Code, w.Body)
		}
		var got, want any
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(defaultLimits), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("limits (-want +got):\n%s", diff)
		}
	})

	t.Run("indents when asked", func(t *testing.T) {
		t.Parallel()
		plain := h.Call("GET", target, "", auth).Body.String()
		pretty := h.Call("GET", target+"&prettyPrint=true", "", auth).Body.String()
		if strings.Contains(plain, "\n") || !strings.Contains(pretty, "\n  \"name\"") {
			t.Errorf("plain = %q\npretty = %q", plain, pretty)
		}
	})

	for name, query := range map[string]string{
		"the spelling of a client library": "?alt=json&name=limits%2Flabel&prettyPrint=false",
		"parameters in another order":      "?quotaUser=x&name=limits/label",
		"an escaped name":                  "?name=limits%2Flabel",
	} {
		t.Run("accepts "+name, func(t *testing.T) {
			t.Parallel()
			if w := h.Call("GET", "/v2/limits/label"+query, "", auth); w.Code != http.StatusOK {
				t.Errorf("status = %d, want 200: %s", w.Code, w.Body)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(labels.DefaultConfig()))
	auth := "Authorization: Bearer " + h.Token("ada")
	none := "Authorization: Bearer " + h.Issue(identity.IssueOptions{
		Kind: identity.KindPersonal, Services: []string{labels.Name}, UserID: h.User("ada").ID,
	})
	for _, row := range []struct {
		name, method, target, body, header string
		status                             int
		word, reason                       string
	}{
		{"no name", "GET", "/v2/limits/label", "", auth, 400, "INVALID_ARGUMENT", "badRequest"},
		{"wrong name", "GET", "/v2/limits/label?name=limits/field", "", auth, 400, "INVALID_ARGUMENT", "badRequest"},
		{"two names", "GET", target + "&name=limits/label", "", auth, 400, "INVALID_ARGUMENT", "badRequest"},
		{"unknown field", "GET", target + "&fields=size", "", auth, 400, "INVALID_ARGUMENT", "invalidParameter"},
		{"a body", "GET", target, "{}", auth, 400, "INVALID_ARGUMENT", "badRequest"},
		{"no token", "GET", target, "", "", 401, "UNAUTHENTICATED", "required"},
		{"junk token", "GET", target, "", "Authorization: Bearer junk", 401, "UNAUTHENTICATED", "authError"},
		{"another scheme", "GET", target, "", "Authorization: Token x", 401, "UNAUTHENTICATED", ""},
		{"no scope", "GET", target, "", none, 403, "PERMISSION_DENIED", "insufficientPermissions"},
		{"unknown path", "GET", "/v2/limits/field", "", auth, 404, "NOT_FOUND", "notFound"},
		{"wrong method", "POST", target, "", auth, 405, "METHOD_NOT_ALLOWED", "httpMethodNotAllowed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var headers []string
			if row.header != "" {
				headers = append(headers, row.header)
			}
			w := h.Call(row.method, row.target, row.body, headers...)
			checkFault(t, w, row.status, row.word, row.reason)
		})
	}

	t.Run("a body of unknown length", func(t *testing.T) {
		t.Parallel()
		r := httptest.NewRequest("GET", target, strings.NewReader("x"))
		r.ContentLength = -1
		r.Header.Set("Authorization", strings.TrimPrefix(auth, "Authorization: "))
		checkFault(t, h.Do(r), 400, "INVALID_ARGUMENT", "badRequest")
	})
}

func TestEachScopeSuffices(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(labels.DefaultConfig()))
	for _, scope := range h.Module.Scopes {
		t.Run(scope.Name, func(t *testing.T) {
			t.Parallel()
			w := h.Call("GET", target, "", "Authorization: Bearer "+h.Token("ada", scope.Name))
			if w.Code != http.StatusOK {
				t.Errorf("status = %d, want 200: %s", w.Code, w.Body)
			}
		})
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	c := labels.DefaultConfig()
	c.RequestsPerMinute = 3
	identitytest.Run(t, build(c), func(t *testing.T, h *identitytest.Server) {
		ada, grace := "Authorization: Bearer "+h.Token("ada"), "Authorization: Bearer "+h.Token("grace")
		for range 3 {
			if w := h.Call("GET", target, "", ada); w.Code != http.StatusOK {
				t.Fatalf("status = %d, want 200", w.Code)
			}
		}
		w := h.Call("GET", target, "", ada)
		checkFault(t, w, 429, "RESOURCE_EXHAUSTED", "rateLimitExceeded")
		if got := w.Header().Get("Retry-After"); got != "60" {
			t.Errorf("Retry-After = %q, want 60", got)
		}
		if w := h.Call("GET", target, "", grace); w.Code != http.StatusOK {
			t.Errorf("another caller: status = %d, want 200", w.Code)
		}
		h.Clock.Advance(61e9)
		if w := h.Call("GET", target, "", ada); w.Code != http.StatusOK {
			t.Errorf("after a minute: status = %d, want 200", w.Code)
		}
	})
}

func checkFault(t *testing.T, w *httptest.ResponseRecorder, status int, word, reason string) {
	t.Helper()
	var got struct {
		Error struct {
			Code            int
			Message, Status string
			Errors          []struct{ Message, Domain, Reason string }
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatalf("body %q: %v", w.Body, err)
	}
	e := got.Error
	if w.Code != status || e.Code != status || e.Status != word || e.Message == "" {
		t.Errorf("status %d, error %+v; want %d %s", w.Code, e, status, word)
	}
	if reason != "" && (len(e.Errors) != 1 || e.Errors[0].Reason != reason) {
		t.Errorf("errors = %+v, want reason %s", e.Errors, reason)
	}
	if status == 401 && !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), "Bearer") {
		t.Errorf("WWW-Authenticate = %q, want Bearer", w.Header().Get("WWW-Authenticate"))
	}
}
