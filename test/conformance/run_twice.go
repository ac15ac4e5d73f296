package conformance

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/app"
)

// twiceVariable makes On run its rows twice on SQLite and compare all bytes;
// `make same` sets it.
const twiceVariable = "STOA_TWICE"

// transcript is what one server answered, in order.
type transcript struct {
	mu      sync.Mutex
	address string
	entries []string
}

// ports are those of the rows' own receivers, which the machine chooses.
var ports = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// write keeps an answer whole.
func (s *transcript) write(what string, status int, header http.Header, body []byte) {
	if s == nil {
		return
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n%d\n", what, status)
	for _, name := range slices.Sorted(maps.Keys(header)) {
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(header[name], "\n  "))
	}
	fmt.Fprintf(&b, "\n%s", body)
	text := ports.ReplaceAllString(b.String(), "127.0.0.1:PORT")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries = append(s.entries, text)
}

// Twice runs rows on two servers that begin alike, one after the other on the
// same address, and fails where an answer of the second differs in any byte.
func Twice(t *testing.T, rows func(t *testing.T, open func(t *testing.T, o Options) *Server)) {
	t.Helper()
	var runs [2][]*transcript
	for run, name := range []string{"first", "second"} {
		ok := t.Run(name, func(t *testing.T) {
			rows(t, func(t *testing.T, o Options) *Server {
				t.Helper()
				s := &transcript{}
				if n := len(runs[run]); run == 1 && n < len(runs[0]) {
					s.address = runs[0][n].address
				}
				runs[run] = append(runs[run], s)
				return openRecorded(t, o, s)
			})
		})
		if !ok {
			return
		}
	}
	if a, b := len(runs[0]), len(runs[1]); a != b {
		t.Fatalf("%d servers, then %d", a, b)
	}
	for i, first := range runs[0] {
		compare(t, i, first.entries, runs[1][i].entries)
	}
}

// openRecorded opens a server on SQLite whose answers are kept.
func openRecorded(t *testing.T, o Options, s *transcript) *Server {
	t.Helper()
	configure := o.Configure
	o.Configure = func(c *app.Config) {
		if configure != nil {
			configure(c)
		}
		if s.address != "" {
			c.Listen.HTTP = s.address
		}
	}
	h := open(t, "", o)
	s.address, h.transcript = strings.TrimPrefix(h.URL, "http://"), s
	return h
}

// compare shows the first answer that differs.
func compare(t *testing.T, server int, first, second []string) {
	t.Helper()
	for i := range min(len(first), len(second)) {
		if first[i] != second[i] {
			t.Errorf("server %d, answer %d of %d:\n%.4000s\n--- then ---\n%.4000s",
				server+1, i+1, len(first), first[i], second[i])
			return
		}
	}
	if len(first) != len(second) {
		t.Errorf("server %d gave %d answers, then %d", server+1, len(first), len(second))
	}
}

// InOrder goes through rows by their names: two runs ask the same in the same order.
func InOrder[K cmp.Ordered, V any](rows map[K]V) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, name := range slices.Sorted(maps.Keys(rows)) {
			if !yield(name, rows[name]) {
				return
			}
		}
	}
}

func twice() bool { return os.Getenv(twiceVariable) != "" }
