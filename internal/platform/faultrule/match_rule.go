package faultrule

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// subject is what a rule can match: a request, a remote call, a message or a job.
type subject struct {
	sort      sort
	service   string
	operation string
	method    string
	path      string
	caller    func() string
	header    http.Header
	body      func() []byte

	id       string // of a message or job
	document any    // the decoded body
	decoded  bool
}

// sort tells the subjects apart.
type sort int

const (
	sortRequest sort = iota
	sortCall
	sortDelivery
	sortJob
)

// rule is a compiled Rule.
type rule struct {
	Rule
	id     string
	number uint64
	kind   kind
	body   []member

	matched, hits atomic.Int64

	mu      sync.Mutex
	delayed map[string]bool // ids that have waited

	stale staleAnswers
}

// member is one entry of Match.Body.
type member struct {
	pointer []string
	value   any
}

func compile(r Rule, number uint64) *rule {
	out := &rule{Rule: r, number: number, kind: r.Deed.kinds()[0]}
	for pointer, text := range r.Match.Body {
		var m member
		if pointer != "" {
			for part := range strings.SplitSeq(pointer[1:], "/") {
				m.pointer = append(m.pointer, strings.NewReplacer("~1", "/", "~0", "~").Replace(part))
			}
		}
		// It was checked to be JSON.
		_ = json.Unmarshal(text, &m.value)
		out.body = append(out.body, m)
	}
	return out
}

func (r *rule) status() Status {
	return Status{ID: r.id, Hits: r.hits.Load(), Matches: r.matched.Load(), Rule: r.Rule}
}

// matches asks the cheap questions first.
func (r *rule) matches(c *subject, names *Catalogue) bool {
	m := &r.Match
	if m.Service != c.service && (m.Service != "" || c.sort == sortDelivery || c.sort == sortJob) ||
		m.Operation != "" && m.Operation != c.operation ||
		m.Method != "" && m.Method != c.method {
		return false
	}
	if m.Path != "" && !matchPath(m.Path, c.path) {
		return false
	}
	switch {
	case r.kind == kindFault:
		if names.find(c.service, c.operation, r.Deed.Fault) == nil {
			return false
		}
	case c.sort == sortCall && r.kind != kindDelay:
		return false // what happens to bytes of HTTP
	case r.waits(c) && r.waited(c):
		return false
	}
	return r.matchesParts(c)
}

func (r *rule) matchesParts(c *subject) bool {
	if r.Match.Caller != "" && !matchCaller(r.Match.Caller, c.caller()) {
		return false
	}
	for name, pattern := range r.Match.Header {
		if !matchHeader(pattern, c.header.Values(name)) {
			return false
		}
	}
	for _, m := range r.body {
		value, found := lookUp(c.decode(), m.pointer)
		if !found || !reflect.DeepEqual(value, m.value) {
			return false
		}
	}
	return true
}

func matchHeader(pattern string, values []string) bool {
	for _, v := range values {
		if matchText(pattern, v) {
			return true
		}
	}
	return false
}

// matchCaller fits the caller as the log shows it, or one of the names in it.
func matchCaller(pattern, caller string) bool {
	if matchText(pattern, caller) {
		return true
	}
	for word := range strings.FieldsSeq(caller) {
		if _, value, ok := strings.Cut(word, "="); ok && matchText(pattern, value) {
			return true
		}
	}
	return false
}

// decode reads the body once: JSON, or a form as an object of texts. What does
// not read has no members.
func (c *subject) decode() any {
	if c.decoded || c.body == nil {
		return c.document
	}
	c.decoded = true
	text := c.body()
	if strings.HasPrefix(c.header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		form, err := url.ParseQuery(string(text))
		if err != nil {
			return nil
		}
		members := map[string]any{}
		for name := range form {
			members[name] = form.Get(name)
		}
		c.document = members
		return c.document
	}
	if json.Unmarshal(text, &c.document) != nil {
		c.document = nil
	}
	return c.document
}

// lookUp follows a JSON pointer.
func lookUp(document any, pointer []string) (any, bool) {
	for _, part := range pointer {
		switch at := document.(type) {
		case map[string]any:
			next, ok := at[part]
			if !ok {
				return nil, false
			}
			document = next
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(at) || strconv.Itoa(i) != part {
				return nil, false
			}
			document = at[i]
		default:
			return nil, false
		}
	}
	return document, true
}

// due counts a match and reports whether it is one that is met.
func (r *rule) due(seed uint64, now func() time.Time) bool {
	w := &r.When
	if w.From != nil || w.Until != nil {
		at := now()
		if w.From != nil && at.Before(*w.From) || w.Until != nil && !at.Before(*w.Until) {
			return false
		}
	}
	n := r.matched.Add(1)
	if w.After != nil {
		n -= *w.After
	}
	return n > 0 &&
		(w.Nth == nil || n == *w.Nth) &&
		(w.Every == nil || n%*w.Every == 0) &&
		(w.First == nil || n <= *w.First) &&
		(w.Share == nil || drawn(seed, r.number, uint64(n)) < *w.Share)
}

// drawn is a number from 0 to 1 that follows from the seed, the rule and the match.
func drawn(seed, number, n uint64) float64 {
	x := seed
	for _, add := range [...]uint64{number, n} {
		// The finalizer of splitmix64.
		x += (add + 1) * 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		x ^= x >> 31
	}
	return float64(x>>11) / (1 << 53)
}

// maxDelayed bounds how many messages or jobs a rule remembers.
const maxDelayed = 100_000

// waits reports whether the deed sends a message or job back to its queue. Each
// waits once: a rule without a when would keep it for ever.
func (r *rule) waits(c *subject) bool {
	return r.kind == kindDelay && (c.sort == sortDelivery || c.sort == sortJob)
}

func (r *rule) waited(c *subject) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.delayed[c.id]
}

// note remembers who waits.
func (r *rule) note(c *subject) {
	if !r.waits(c) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.delayed == nil || len(r.delayed) >= maxDelayed {
		r.delayed = map[string]bool{}
	}
	r.delayed[c.id] = true
}
