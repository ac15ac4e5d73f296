package route

import (
	"errors"
	"log/slog"
	"net/http"
	"sync"
)

// Refuser is an error that can be a refusal: one that is answered with a status of server
// errors, because the contract has no other, though nothing of the server failed. Who
// may ask can bring it about at will, so it is no reason to call an operator.
type Refuser interface {
	Refused() bool
}

// refused reports whether a server error is a refusal. 501 is one always.
func refused(status int, err error) bool {
	var r Refuser
	return status == http.StatusNotImplemented || errors.As(err, &r) && r.Refused()
}

// maxRefusals bounds how many different refusals are told.
const maxRefusals = 64

// refusals are those that were told already.
type refusals struct {
	mu   sync.Mutex
	told map[string]bool
}

// first reports whether a text is new, as long as there are few.
func (r *refusals) first(text string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.told[text] || len(r.told) >= maxRefusals {
		return false
	}
	if r.told == nil {
		r.told = map[string]bool{}
	}
	r.told[text] = true
	return true
}

// logRefusal tells the operator once what is refused: it may be a setting that is missing.
func (m *Mux) logRefusal(err error) {
	if text := reason(err); m.refusals.first(text) {
		m.tel.Log.Warn("request refused; said once", slog.String("service", m.o.Service), slog.String("reason", text))
	}
}
