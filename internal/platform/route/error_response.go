package route

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route/refusedcaller"
	"stoa.dev/stoa/internal/platform/route/wirefault"
	"stoa.dev/stoa/internal/platform/wire"
)

// fail answers err in the service's envelope, or notes why it cannot.
func (m *Mux) fail(x *exchange, err error) {
	var panicked *PanicError
	err = m.translate(x, err)
	switch {
	case errors.Is(err, errAborted):
		x.abort = true
	case errors.Is(err, wirefault.ErrReset):
	case errors.Is(err, ErrClientGone) && !errors.As(err, &panicked):
		// Who closed only its own half of the connection still reads: silence
		// would reach it as net/http's empty 200.
		x.abort, x.status = true, StatusClientGone
	case x.rec.begun:
		x.abort = true
		x.status = http.StatusInternalServerError
	default:
		m.writeError(x, err)
	}
	x.reason, x.who, x.noRoute = reason(err), refusedcaller.Caller(err), errors.Is(err, ErrNoRoute)
	if !x.abort || x.status != 0 {
		m.logIfServerError(x, err)
	}
}

// logIfServerError logs failures of the server: statuses that HTTP itself defines
// as server errors, and those that the contract has instead. Contracts use other
// statuses above for refusals.
func (m *Mux) logIfServerError(x *exchange, err error) {
	status := cmp.Or(x.status, x.rec.status)
	if status >= 500 && status <= http.StatusNetworkAuthenticationRequired || slices.Contains(m.o.Faults, status) {
		if x.refused = m.refusals.Tell(m.tel.Log, m.o.Service, status, err); !x.refused {
			m.logFailure(x, err)
		}
	}
}

// storeRetry is when to try again after the store refused to write.
const storeRetry = 5 * time.Second

// translate turns the errors of lower layers into those of CommonErrors.
func (m *Mux) translate(x *exchange, err error) error {
	var panicked *PanicError
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &panicked), errors.Is(err, errAborted):
		return err
	case x.body.late:
		return ErrDeadline
	case clientGone(x.Request.Request), x.body.lost, x.rec.unread:
		return ErrClientGone
	case x.weighed.Refused() != nil: // whatever the reader made of it
		return m.withReset(x.weighed.Refused())
	case errors.Is(err, context.DeadlineExceeded) && x.deadline.Passed():
		return ErrDeadline
	case errors.As(err, &tooLarge):
		return &wire.SizeError{Limit: tooLarge.Limit}
	case storeFailed(err):
		return &UnavailableError{RetryAfter: storeRetry, cause: err}
	}
	return m.withReset(err)
}

// storeFailed reports whether the database or the blob store is away, full, busy or
// read-only: what may be over when the caller tries again.
func storeFailed(err error) bool {
	return errors.Is(err, blob.ErrUnavailable) || errors.Is(err, blob.ErrFull) || errors.Is(err, database.ErrBusy) ||
		errors.Is(err, database.ErrClosed) || errors.Is(err, database.ErrDiskFull) ||
		errors.Is(err, database.ErrReadOnly) || errors.Is(err, database.ErrUnavailable)
}

// withReset gives a refusal by a budget of the machine, which knows no clock but
// its own, a reset on the world's.
func (m *Mux) withReset(err error) error {
	var busy *limit.Exceeded
	if !errors.As(err, &busy) || !busy.Reset.IsZero() {
		return err
	}
	d := busy.Decision
	d.Reset = m.o.Clock.Now().Add(d.RetryAfter)
	return &limit.Exceeded{Decision: d}
}

// writeError calls the envelope. If that fails too, the connection is cut: an
// answer outside the envelope would be worse than none.
func (m *Mux) writeError(x *exchange, err error) {
	defer func() {
		if v := recover(); v != nil {
			x.abort, x.status = true, http.StatusInternalServerError
			m.logFailure(x, m.panicError(v)) // besides err itself, which the caller logs
		}
	}()
	if x.handled {
		// What the handler said of its answer does not hold for this one.
		h := x.rec.Header()
		for _, name := range [...]string{
			"Content-Type", "Content-Length", "Content-Encoding",
			"Content-Disposition", "Content-Range", "Etag", "Last-Modified", "Cache-Control",
		} {
			delete(h, name)
		}
	}
	m.closeAfterRefusal(x)
	var unavailable *UnavailableError
	if errors.As(err, &unavailable) && unavailable.RetryAfter > 0 {
		x.rec.Header().Set("Retry-After", wire.WholeSeconds(unavailable.RetryAfter))
	}
	m.o.WriteError(&x.rec, &x.Request, err)
	if !x.rec.begun {
		x.rec.WriteHeader(http.StatusInternalServerError)
	}
}

// logFailure tells the operator, once, what the caller is not told.
func (m *Mux) logFailure(x *exchange, err error) {
	attrs := []slog.Attr{slog.String("service", m.o.Service), slog.String("request", x.ID)}
	if x.Route != nil {
		attrs = append(attrs, slog.String("route", x.Route.Name))
	}
	var panicked *PanicError
	if errors.As(err, &panicked) {
		attrs = append(attrs, slog.String("panic", panicked.String()), slog.String("stack", string(panicked.Stack)))
	} else {
		attrs = append(attrs, slog.String("error", err.Error()))
	}
	m.tel.Log.LogAttrs(x.Context(), slog.LevelError, "request failed", attrs...)
}

// Reasoner is an error that knows a short machine word for itself, which the
// log and the console show instead of its text.
type Reasoner interface {
	Reason() string
}

// reason is what the log says of a failed request.
func reason(err error) string {
	var r Reasoner
	if errors.As(err, &r) {
		return r.Reason()
	}
	return wire.Clip(err.Error(), 200)
}
