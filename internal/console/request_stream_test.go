package console_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/journal"
)

// TestRequestStreamEnds: the stream of requests is for administrators who are signed in, and
// who is not any more hears of no further request.
func TestRequestStreamEnds(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for name, lose := range map[string]func(h *testServer, ada identity.User) error{
		"session ended": func(h *testServer, ada identity.User) error {
			return h.Identity.EndSessions(h.t.Context(), ada.ID, 0)
		},
		"no administrator": func(h *testServer, ada identity.User) error {
			_, err := h.Identity.UpdateUser(h.t.Context(), ada.ID, identity.UserChange{Admin: &no})
			return err
		},
		"disabled": func(h *testServer, ada identity.User) error {
			return h.Identity.DisableUser(h.t.Context(), ada.ID, true)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, kept := openHome(t)
			for _, name := range []string{"ada", "grace"} { // an administrator stays
				u := h.User(name)
				if _, err := h.Identity.UpdateUser(t.Context(), u.ID, identity.UserChange{Admin: &yes}); err != nil {
					t.Fatal(err)
				}
			}
			h.signIn("ada")
			ended := h.follow(t)
			if err := lose(h, h.User("ada")); err != nil {
				t.Fatal(err)
			}
			for range 100 {
				kept.Begin(t.Context()).Finish(&journal.Entry{Service: "labels", Method: "GET", Path: "/", Status: 200})
				select {
				case <-ended:
					return
				case <-time.After(100 * time.Millisecond):
				}
			}
			t.Error("the stream goes on")
		})
	}
}

// follow opens the stream and tells when it has ended.
func (h *testServer) follow(t *testing.T) (ended chan struct{}) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/console/requests/stream", nil)
	r.RemoteAddr = h.from
	r.Header.Set("Cookie", h.cookie)
	ended = make(chan struct{})
	begun := &begins{ResponseRecorder: httptest.NewRecorder(), status: make(chan int, 1)}
	go func() {
		defer close(ended)
		defer func() { _ = recover() }() // the mux aborts an answer whose client has gone
		h.Module.Handler.ServeHTTP(begun, r)
	}()
	t.Cleanup(func() { cancel(); <-ended })
	if status := <-begun.status; status != http.StatusOK {
		t.Fatalf("the stream: %d", status)
	}
	return ended
}

// begins tells when an answer begins.
type begins struct {
	*httptest.ResponseRecorder
	status chan int
}

// WriteHeader implements http.ResponseWriter.
func (w *begins) WriteHeader(status int) {
	w.ResponseRecorder.WriteHeader(status)
	w.status <- status
}
