package events

import (
	"errors"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/route"
)

const (
	defaultSize = 30
	maxSize     = 100
)

// pageKey names one page of a list.
type pageKey struct{ number, size int }

// readPage reads page and per_page. What is not a positive number means the
// default, more than the maximum means the maximum.
func readPage(r *route.Request) (pageKey, error) {
	if r.URL.RawQuery == "" {
		return pageKey{1, defaultSize}, nil
	}
	size := min(positive(r.Query().Get("per_page"), defaultSize), maxSize)
	k := pageKey{positive(r.Query().Get("page"), 1), size}
	if (k.number-1)*k.size >= maxEvents {
		return k, errPagination()
	}
	return k, nil
}

func positive(text string, def int) int {
	n, err := strconv.ParseInt(text, 10, 32)
	if n < 1 || err != nil && !errors.Is(err, strconv.ErrRange) {
		return def
	}
	return int(n) // the largest number, when it is out of range
}

// link builds the Link header, which is empty for a single page. Parameters
// we do not know, and the size as it was asked for, are kept.
func (s *Service) link(r *route.Request, path string, at pageKey, total int) string {
	last := max(1, (total+at.size-1)/at.size)
	if last == 1 && at.number == 1 {
		return ""
	}
	q := r.URL.Query()
	base := s.base(r)
	var b strings.Builder
	add := func(rel string, number int) {
		q.Set("page", strconv.Itoa(number))
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString("<" + base + path + "?" + q.Encode() + `>; rel="` + rel + `"`)
	}
	if at.number > 1 {
		add("prev", min(at.number-1, last))
	}
	if at.number < last {
		add("next", at.number+1)
		add("last", last)
	}
	if at.number > 1 {
		add("first", 1)
	}
	return b.String()
}
