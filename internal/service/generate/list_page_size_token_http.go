package generate

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/files"
)

// eitherSpelling reads a parameter that may be written in both, as members may.
func eitherSpelling(q url.Values, camel, snake string) string {
	return cmp.Or(q.Get(camel), q.Get(snake))
}

// pageSize reads pageSize: absent and zero mean the default, too large ones
// are lowered, negative ones refused.
func pageSize(q url.Values, defaultSize, maxSize int) (int, error) {
	raw := eitherSpelling(q, "pageSize", "page_size")
	if raw == "" {
		return defaultSize, nil
	}
	n, err := strconv.Atoi(raw)
	switch {
	case err != nil || n < 0:
		return 0, api.ErrInvalidField("pageSize", "%q is not a number from 0 to %d", raw, maxSize)
	case n == 0:
		return defaultSize, nil
	}
	return min(n, maxSize), nil
}

// listPage reads a page of a list, the newest first, and the token of the next.
func listPage[T any](
	s *Service, r *route.Request, binding string, defaultSize, maxSize int,
	list func(ctx context.Context, userID int64, after files.Cursor, limit int) ([]T, error), at func(T) files.Cursor,
) (page []T, next string, err error) {
	size, err := pageSize(r.Query(), defaultSize, maxSize)
	if err != nil {
		return nil, "", err
	}
	after := files.FirstPage()
	if err := s.openPageToken(r, binding, &after); err != nil {
		return nil, "", err
	}
	page, err = list(r.Context(), identity.From(r).UserID, after, size+1)
	if err != nil || len(page) <= size {
		return page, "", err
	}
	return page[:size], s.pages().Seal(at(page[size-1]), binding), nil
}

// openPageToken reads where a page begins; without a token that stays as it is.
func (s *Service) openPageToken(r *route.Request, binding string, start any) error {
	token := eitherSpelling(r.Query(), "pageToken", "page_token")
	if token != "" && s.pages().Open(token, binding, start) != nil {
		return api.ErrInvalidField("pageToken", "is not valid for this request")
	}
	return nil
}

// writeEmpty writes the empty object that deletions answer.
func writeEmpty(w http.ResponseWriter, r *route.Request) error {
	return wire.WriteJSON(w, r.Request, http.StatusOK, struct{}{})
}
