package forge_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/forge"
)

// TestRightsWhenTheBodyIsThere: a body takes minutes if its sender wants it to. What it
// asks for is done with the rights of its end, not with those of its beginning.
func TestRightsWhenTheBodyIsThere(t *testing.T) {
	run(t, func(t *testing.T, h *testServer) {
		secret := h.create(t, forge.NewRepository{Owner: "ada", Name: "secret", Private: true})
		h.commitFile(t, secret)
		grace := h.User("grace")
		member := forge.Actor{ID: grace.ID, Name: grace.Name}
		admit := func() {
			if _, err := h.forge.SetMember(t.Context(), secret.ID, member, forge.Write, h.ada); err != nil {
				t.Fatal(err)
			}
		}
		removed := func(string) error { return h.forge.RemoveMember(t.Context(), secret.ID, member.ID) }
		revoked := func(token string) error { return h.Identity.RevokeSecret(t.Context(), "events", token) }
		for name, row := range map[string]struct {
			service string
			end     func(token string) error
			want    int
		}{
			"push, member removed":  {"git-receive-pack", removed, http.StatusNotFound},
			"push, token revoked":   {"git-receive-pack", revoked, http.StatusUnauthorized},
			"fetch, member removed": {"git-upload-pack", removed, http.StatusNotFound},
			"fetch, token revoked":  {"git-upload-pack", revoked, http.StatusUnauthorized},
		} {
			admit()
			token := h.token(t, "grace")
			if got := h.slowly(t, token, row.service, func() error { return row.end(token) }); got != row.want {
				t.Errorf("%s: got %d, want %d", name, got, row.want)
			}
		}
		admit()
		for service, want := range map[string]int{"git-receive-pack": http.StatusBadRequest, "git-upload-pack": 200} {
			if got := h.slowly(t, h.token(t, "grace"), service, func() error { return nil }); got != want {
				t.Errorf("%s with its rights: got %d, want %d", service, got, want)
			}
		}
		if refs, err := h.forge.Refs(t.Context(), secret); err != nil || len(refs) != 1 {
			t.Errorf("refs %v, %v; want the first one alone", refs, err)
		}
	})
}

// slowly sends a request of git whose body changes the rights while it is read, and returns
// the status.
func (h *testServer) slowly(t *testing.T, token, service string, change func() error) int {
	t.Helper()
	const line = "0032want 0000000000000000000000000000000000000000\n0000"
	body := io.MultiReader(strings.NewReader(line[:20]), reading(change), strings.NewReader(line[20:]))
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/git/ada/secret.git/"+service, body)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/x-"+service+"-request")
	w := httptest.NewRecorder()
	h.Module.Handler.ServeHTTP(w, r)
	return w.Code
}

// reading is a function that runs when a body has been read so far.
type reading func() error

// Read implements io.Reader.
func (f reading) Read([]byte) (int, error) {
	if err := f(); err != nil {
		return 0, err
	}
	return 0, io.EOF
}
