package ranges_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/wire/ranges"
)

// seeks counts how often a content is read from another place.
type seeks struct {
	*strings.Reader
	n int
}

func (s *seeks) Seek(offset int64, whence int) (int64, error) {
	s.n++
	return s.Reader.Seek(offset, whence)
}

// TestManyRanges: a few pieces of a content are sent, of very many all of it.
func TestManyRanges(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", 100_000)
	for name, row := range map[string]struct {
		ranges string
		status int
	}{
		"none":      {"", 200},
		"one":       {"bytes=10-19", 206},
		"sixteen":   {"bytes=" + strings.TrimSuffix(strings.Repeat("0-0,", 16), ","), 206},
		"seventeen": {"bytes=" + strings.TrimSuffix(strings.Repeat("0-0,", 17), ","), 200},
		"thousands": {"bytes=" + strings.TrimSuffix(strings.Repeat("0-0,", 20_000), ","), 200},
		"outside":   {"bytes=200000-", 416},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		if row.ranges != "" {
			r.Header.Set("Range", row.ranges)
		}
		w, content := httptest.NewRecorder(), &seeks{Reader: strings.NewReader(text)}
		ranges.Serve(w, r, "a.bin", time.Time{}, content)
		if w.Code != row.status || w.Code == http.StatusOK && w.Body.String() != text || content.n > 20 {
			t.Errorf("%s: %d, %d bytes, read from %d places", name, w.Code, w.Body.Len(), content.n)
		}
		if r.Header.Get("Range") != row.ranges {
			t.Errorf("%s: the request was changed", name)
		}
	}
}
