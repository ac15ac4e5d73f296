package grammar_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// rules is a parsed grammar: the test's own reading of GBNF, so that what the
// package writes is read by other code.
type rules map[string]node

// node is one of: text, set of characters, sequence, choice, repetition, name.
type node struct {
	kind     byte // t s q c r n
	text     string
	ranges   [][2]rune
	inverted bool
	subs     []node
	min, max int
}

type reader struct {
	src string
	pos int
}

func parse(t testing.TB, text string) rules {
	t.Helper()
	out := rules{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		name, body, ok := strings.Cut(line, " ::= ")
		if !ok {
			t.Fatalf("%q is not a rule", line)
		}
		r := &reader{src: body}
		n := r.choice(t)
		if r.pos != len(r.src) {
			t.Fatalf("rule %s: cannot read %q", name, r.src[r.pos:])
		}
		if _, twice := out[name]; twice {
			t.Fatalf("rule %s comes twice", name)
		}
		out[name] = n
	}
	for name, n := range out {
		n.names(func(used string) {
			if _, ok := out[used]; !ok {
				t.Fatalf("rule %s uses %s, which is not there", name, used)
			}
		})
	}
	return out
}

func (n node) names(see func(string)) {
	if n.kind == 'n' {
		see(n.text)
	}
	for _, s := range n.subs {
		s.names(see)
	}
}

func (r *reader) space() {
	for r.pos < len(r.src) && r.src[r.pos] == ' ' {
		r.pos++
	}
}

func (r *reader) choice(t testing.TB) node {
	n := node{kind: 'c'}
	for {
		n.subs = append(n.subs, r.sequence(t))
		r.space()
		if r.pos >= len(r.src) || r.src[r.pos] != '|' {
			return n
		}
		r.pos++
	}
}

func (r *reader) sequence(t testing.TB) node {
	n := node{kind: 'q'}
	for {
		r.space()
		if r.pos >= len(r.src) || r.src[r.pos] == '|' || r.src[r.pos] == ')' {
			return n
		}
		n.subs = append(n.subs, r.repeat(t, r.atom(t)))
	}
}

func (r *reader) atom(t testing.TB) node {
	switch c := r.src[r.pos]; {
	case c == '"':
		r.pos++
		n := node{kind: 't'}
		for r.src[r.pos] != '"' {
			n.text += string(r.char(t))
		}
		r.pos++
		return n
	case c == '[':
		return r.set(t)
	case c == '(':
		r.pos++
		n := r.choice(t)
		if r.src[r.pos] != ')' {
			t.Fatalf("unclosed group in %q", r.src)
		}
		r.pos++
		return n
	}
	start := r.pos
	for r.pos < len(r.src) && (r.src[r.pos] >= 'a' && r.src[r.pos] <= 'z' || r.src[r.pos] >= '0' && r.src[r.pos] <= '9') {
		r.pos++
	}
	if start == r.pos {
		t.Fatalf("cannot read %q", r.src[r.pos:])
	}
	return node{kind: 'n', text: r.src[start:r.pos]}
}

func (r *reader) set(t testing.TB) node {
	r.pos++
	n := node{kind: 's'}
	if r.src[r.pos] == '^' {
		n.inverted = true
		r.pos++
	}
	for r.src[r.pos] != ']' {
		from := r.char(t)
		to := from
		if r.src[r.pos] == '-' && r.src[r.pos+1] != ']' {
			r.pos++
			to = r.char(t)
		}
		n.ranges = append(n.ranges, [2]rune{from, to})
	}
	r.pos++
	return n
}

// char reads one character of a text or set.
func (r *reader) char(t testing.TB) rune {
	rest := []rune(r.src[r.pos:])
	if rest[0] != '\\' {
		r.pos += len(string(rest[0]))
		return rest[0]
	}
	size := map[rune]int{'x': 2, 'u': 4, 'U': 8}[rest[1]]
	if size > 0 {
		n, err := strconv.ParseUint(string(rest[2:2+size]), 16, 32)
		if err != nil {
			t.Fatalf("escape in %q: %v", r.src, err)
		}
		r.pos += 2 + size
		return rune(n)
	}
	r.pos += 2
	if c, ok := map[rune]rune{'n': '\n', 't': '\t', 'r': '\r', '"': '"', '\\': '\\'}[rest[1]]; ok {
		return c
	}
	t.Fatalf("unknown escape in %q", r.src)
	return 0
}

func (r *reader) repeat(t testing.TB, n node) node {
	if r.pos >= len(r.src) {
		return n
	}
	wrap := func(from, to int) node { return node{kind: 'r', subs: []node{n}, min: from, max: to} }
	switch r.src[r.pos] {
	case '*':
		r.pos++
		return wrap(0, -1)
	case '+':
		r.pos++
		return wrap(1, -1)
	case '?':
		r.pos++
		return wrap(0, 1)
	case '{':
		body, _, _ := strings.Cut(r.src[r.pos+1:], "}")
		r.pos += len(body) + 2
		low, high, ok := strings.Cut(body, ",")
		from, err := strconv.Atoi(low)
		to := from
		if ok {
			to = -1
			if high != "" {
				to, err = strconv.Atoi(high)
			}
		}
		if err != nil {
			t.Fatalf("repetition {%s}", body)
		}
		return wrap(from, to)
	}
	return n
}

// walk writes a text that the grammar allows, by choices that pick makes
// between 0 and n-1. Deep down it takes the first way out.
func (g rules) walk(name string, pick func(n int) int) string {
	var out strings.Builder
	g.write(&out, g[name], pick, 0)
	return out.String()
}

func (g rules) write(out *strings.Builder, n node, pick func(int) int, depth int) {
	switch n.kind {
	case 't':
		out.WriteString(n.text)
	case 's':
		out.WriteRune(n.one(pick))
	case 'n':
		g.write(out, g[n.text], pick, depth+1)
	case 'q':
		for _, s := range n.subs {
			g.write(out, s, pick, depth+1)
		}
	case 'c':
		i := pick(len(n.subs))
		if depth > 60 {
			i = len(n.subs) - 1
			if g.height(n.subs[0], 0) <= g.height(n.subs[i], 0) {
				i = 0
			}
		}
		g.write(out, n.subs[i], pick, depth+1)
	case 'r':
		most := n.max
		if most < 0 || most > n.min+3 {
			most = n.min + 3
		}
		count := n.min
		if depth <= 60 {
			count += pick(most - n.min + 1)
		}
		for range count {
			g.write(out, n.subs[0], pick, depth+1)
		}
	}
}

// height is how deep the shortest way through a node is, roughly.
func (g rules) height(n node, depth int) int {
	if depth > 40 {
		return 1000
	}
	best := 0
	switch n.kind {
	case 'n':
		return 1 + g.height(g[n.text], depth+1)
	case 'c':
		best = 1000
		for _, s := range n.subs {
			best = min(best, g.height(s, depth+1))
		}
	case 'q':
		for _, s := range n.subs {
			best = max(best, g.height(s, depth+1))
		}
	case 'r':
		if n.min > 0 {
			return g.height(n.subs[0], depth+1)
		}
	}
	return best
}

func (n node) one(pick func(int) int) rune {
	if !n.inverted {
		r := n.ranges[pick(len(n.ranges))]
		return r[0] + rune(pick(int(min(r[1]-r[0], 200))+1))
	}
	for _, r := range fmt.Sprintf("%cé漢b ~{}[]:,'", 'a'+pick(26)) {
		inside := false
		for _, x := range n.ranges {
			inside = inside || r >= x[0] && r <= x[1]
		}
		if !inside && pick(3) == 0 {
			return r
		}
	}
	return 'z'
}
