package calendar

import (
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/calendar/permission"
)

const mediaType = "application/json; charset=UTF-8"

// tagged is an answer with an entity tag of its own.
type tagged interface{ Tag() string }

// write sends an answer: nothing as 204, and 304 when the caller already has
// it.
func write(w http.ResponseWriter, r *route.Request, answer any) error {
	if answer == nil {
		wire.NoContent(w, http.StatusNoContent)
		return nil
	}
	w.Header().Set("Cache-Control", "private, max-age=0, must-revalidate, no-transform")
	if kept, ok := answer.(memo.Answer); ok {
		return writeKept(w, r, kept)
	}
	if t, ok := answer.(tagged); ok && t.Tag() != "" {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			if wire.NotModified(w, r.Request, t.Tag()) {
				return nil
			}
		} else {
			w.Header().Set("ETag", t.Tag())
		}
	}
	w.Header().Set("Content-Type", mediaType)
	return wire.WriteJSON(w, r.Request, http.StatusOK, answer)
}

// writeKept sends an answer that was encoded before.
func writeKept(w http.ResponseWriter, r *route.Request, kept memo.Answer) error {
	if wire.NotModified(w, r.Request, kept.Tag) {
		return nil
	}
	return wire.WriteBytes(w, r.Request, http.StatusOK, mediaType, kept.Body)
}

// answer keeps a typed nil from being written as an answer.
func answer[T any](v *T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return v, nil
}

// handler serves one operation for a user; nil is an empty answer.
type handler func(r *route.Request, u user) (any, error)

// serve finds the user, runs the operation and writes its answer.
func (s *Service) serve(h handler) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		u, err := s.callerUser(r.Context(), identity.From(r))
		if err != nil {
			return err
		}
		u.unrestricted = permission.IsUnrestricted(r.Caller, r.Route.Scopes)
		answer, err := h(r, u)
		if err != nil {
			return err
		}
		return write(w, r, answer)
	}
}
