package refusal

import (
	"errors"
	"log/slog"
	"net/http"
	"sync"
)

// maxTold bounds how many different refusals are told.
const maxTold = 64

// Log tells each refusal once. The zero value is ready.
type Log struct {
	mu   sync.Mutex
	told map[string]bool
}

// Tell reports whether a server error is a refusal: its error has a method Refused that says
// so, or its status is 501. The operator is told once, for it may be a setting that is missing.
func (l *Log) Tell(log *slog.Logger, service string, status int, err error) bool {
	var r interface{ Refused() bool }
	if status != http.StatusNotImplemented && (!errors.As(err, &r) || !r.Refused()) {
		return false
	}
	if l.first(err.Error()) {
		log.Warn("request refused; said once", slog.String("service", service), slog.String("reason", err.Error()))
	}
	return true
}

// first reports whether a text is new, as long as there are few.
func (l *Log) first(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.told[text] || len(l.told) >= maxTold {
		return false
	}
	if l.told == nil {
		l.told = map[string]bool{}
	}
	l.told[text] = true
	return true
}
