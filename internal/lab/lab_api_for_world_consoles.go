package lab

import (
	"context"
	"net/http"
	"strings"
)

// ProvideControl hands the control API to the consoles of worlds, which ask it inside
// the process. It is called once, before a world is opened. The token stays here: no
// page, cookie or answer of a world has it.
func (l *Lab) ProvideControl(api http.Handler, token string) {
	l.control = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+token)
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/reset") {
			api.ServeHTTP(w, r)
			return
		}
		// A reset waits until no request of the world is in flight, and the one that asks for
		// it is. What fails is in the lab's log.
		later := r.Clone(context.WithoutCancel(r.Context()))
		go l.resetLater(api, later)
		w.WriteHeader(http.StatusAccepted)
	})
}

func (l *Lab) resetLater(api http.Handler, r *http.Request) {
	answer := &statusOnly{discard: discard{header: http.Header{}}}
	api.ServeHTTP(answer, r)
	if answer.status >= http.StatusBadRequest {
		l.options.Log.Warn("reset from the console failed", "path", r.URL.Path, "status", answer.status)
	}
}

// statusOnly keeps the status of an answer.
type statusOnly struct {
	discard
	status int
}

// WriteHeader keeps the status.
func (w *statusOnly) WriteHeader(status int) { w.status = status }
