package tasks

import (
	"net/http"
	"strconv"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// readFunc makes the answer to a GET of a user's data and its etag.
type readFunc func(r *route.Request, userID int64) (tag string, body any, err error)

// cached serves a GET. The revision is read before the data: an answer may be
// newer than the revision it is kept under, never older, and no request after a
// change asks for the revision before it.
func (s *Service) cached(read readFunc) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		userID := identity.From(r).UserID
		revision, err := s.revision(r.Context(), userID)
		if err != nil {
			return err
		}

		key := s.cacheKey(r, userID, revision)
		answer, ok := s.cache.Get(key)
		if !ok {
			tag, body, err := read(r, userID)
			if err != nil {
				return err
			}
			text, err := wire.EncodeJSON(body)
			if err != nil {
				return err
			}
			answer = memo.Answer{Tag: tag, Body: text}
			s.cache.Put(key, answer)
		}

		return writeAnswer(w, r, answer)
	}
}

// cacheKey names all that an answer depends on: whose it is, the revision,
// the base of its links and the request.
func (s *Service) cacheKey(r *route.Request, userID, revision int64) string {
	return strconv.FormatInt(userID, 36) + " " + r.Caller.LimitKey() + " " + strconv.FormatInt(revision, 36) +
		" " + s.world.URL(r.Context()) + r.URL.EscapedPath() + "?" + r.URL.RawQuery
}
