package tasks

import (
	"errors"
	"net/url"

	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/route"
)

// binding ties a page token to the user, the list and the filters.
func binding(r *route.Request) string {
	query := url.Values{}
	for name, values := range r.Query() {
		switch name {
		case "pageToken", "maxResults", "alt", "prettyPrint", "fields", "quotaUser", "key", "access_token":
		default:
			query[name] = values
		}
	}
	return r.Caller.LimitKey() + " " + r.URL.Path + "?" + query.Encode()
}

// readPage reads the page size and the cursor sealed into pageToken.
func readPage[C any](s *Service, r *route.Request, def, limit int) (size int, after C, err error) {
	query := r.Query()
	if size, err = readSize(query, def, limit); err != nil {
		return size, after, err
	}
	token := query.Get("pageToken")
	if token == "" {
		return size, after, nil
	}
	if err := s.pages().Open(token, binding(r), &after); errors.Is(err, page.ErrToken) {
		return size, after, errInvalidField("pageToken", "is not one of this list and these filters")
	} else if err != nil {
		return size, after, err
	}
	return size, after, nil
}
