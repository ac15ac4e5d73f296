package strictjson

import (
	"bytes"
	"strconv"
	"sync"
	"unicode/utf8"
)

// maxDepth is how deep arrays and objects may nest. It bounds the recursion
// here and in whatever reads the value after us.
const maxDepth = 100

// manyNames is from how many members on an object's names are kept in a map;
// below it, comparing is faster than hashing.
const manyNames = 24

// keptNames is the capacity for names that a scanner keeps when it goes back to its
// pool.
const keptNames = 1024

// MaxName is how much of a member's name a fault repeats; the sender knows the rest.
const MaxName = 64

// maxPath is how much of a path a fault repeats.
const maxPath = 400

// Fault says where and why a text is refused.
type Fault struct {
	// Offset counts bytes from the start of the text.
	Offset int64
	// Path leads to the faulty member, as in "items[2].name". It is empty when the
	// fault is not in one member, and cut when it is very long.
	Path string
	// Reason is one sentence for the client, without a full stop.
	Reason string
}

// scanner checks one text in one pass.
//
// The path of a fault is put together while the recursion unwinds, so the text
// that is in order pays nothing for it.
type scanner struct {
	src      []byte
	pos      int
	allowNUL bool
	values   int      // seen so far
	max      int      // how many there may be; 0: any
	find     int      // stop at the innermost value that holds this offset; 0: do not
	names    [][]byte // members of all open objects, innermost last
}

// scanners holds idle scanners. It is a cache of memory, not of state.
var scanners = sync.Pool{New: func() any { return new(scanner) }}

// Scan checks src and counts its values, of which there may be max; 0 is any number.
func Scan(src []byte, allowNUL bool, max int) (values int, err *Fault) {
	s := scanners.Get().(*scanner)
	s.src, s.pos, s.allowNUL, s.find = src, 0, allowNUL, 0
	s.values, s.max = 0, max
	err = s.document()
	values = s.values
	s.src = nil
	if cap(s.names) > keptNames {
		s.names = nil // clearing it would make every later text pay for this one
	}
	clear(s.names[:cap(s.names)]) // they point into src
	s.names = s.names[:0]
	scanners.Put(s)
	return values, err
}

// Locate is the path of the innermost value of a valid text that ends at offset
// or holds the byte before it.
func Locate(src []byte, offset int64) string {
	s := scanner{src: src, allowNUL: true, find: int(offset)}
	if err := s.document(); err != nil {
		return err.Path
	}
	return ""
}

func (s *scanner) document() *Fault {
	if bytes.HasPrefix(s.src, []byte("\xef\xbb\xbf")) {
		return s.fault(0, "a JSON text must not start with a byte order mark")
	}
	s.space()
	if err := s.value(0); err != nil {
		return err
	}
	s.space()
	if s.pos < len(s.src) {
		return s.fault(s.pos, "unexpected "+s.seen()+" after the JSON value")
	}
	return nil
}

// value scans one value, which starts at pos.
func (s *scanner) value(depth int) *Fault {
	start := s.pos
	if s.values++; s.max > 0 && s.values > s.max {
		return s.fault(s.pos, "the JSON text has more than "+strconv.Itoa(s.max)+" values")
	}
	var err *Fault
	switch c := s.peek(); {
	case c == '"':
		_, err = s.text()
	case c == '{':
		err = s.object(depth + 1)
	case c == '[':
		err = s.array(depth + 1)
	case c == '-' || (c >= '0' && c <= '9'):
		err = s.number()
	case c == 't':
		err = s.word("true")
	case c == 'f':
		err = s.word("false")
	case c == 'n':
		err = s.word("null")
	default:
		return s.fault(s.pos, "expected a JSON value but found "+s.seen())
	}
	if err == nil && s.find > start && s.find <= s.pos {
		return s.fault(start, "") // found; the callers add the path
	}
	return err
}

// members are the names seen so far in one open object.
type members struct {
	base  int                 // where they start in scanner.names
	index map[string]struct{} // all of them, once there are many
}

// fresh notes a name and reports whether the object did not have it yet.
func (s *scanner) fresh(m *members, name []byte) bool {
	mine := s.names[m.base:]
	s.names = append(s.names, name)
	if m.index != nil {
		if _, ok := m.index[string(name)]; ok {
			return false
		}
		m.index[string(name)] = struct{}{}
		return true
	}
	for _, n := range mine {
		if bytes.Equal(n, name) {
			return false
		}
	}
	if len(mine)+1 == manyNames {
		m.index = make(map[string]struct{}, 2*manyNames)
		for _, n := range s.names[m.base:] {
			m.index[string(n)] = struct{}{}
		}
	}
	return true
}

func (s *scanner) object(depth int) *Fault {
	if depth > maxDepth {
		return s.tooDeep()
	}
	seen := members{base: len(s.names)}
	s.pos++
	if s.space(); s.peek() == '}' {
		s.pos++
		return nil
	}
	for {
		at := s.pos
		name, err := s.member()
		if err != nil {
			return err
		}
		if !s.fresh(&seen, name) {
			return within(string(name), s.fault(at, "the member "+strconv.Quote(Clip(string(name), MaxName))+" appears twice"))
		}
		if err := s.value(depth); err != nil {
			return within(string(name), err)
		}
		s.space()
		switch s.peek() {
		case ',':
			s.pos++
			s.space()
		case '}':
			s.pos++
			s.names = s.names[:seen.base]
			return nil
		default:
			return s.fault(s.pos, "expected a comma or } but found "+s.seen())
		}
	}
}

// member scans a name and its colon, up to the start of the value.
func (s *scanner) member() ([]byte, *Fault) {
	if s.peek() != '"' {
		return nil, s.fault(s.pos, "expected a member name in double quotes but found "+s.seen())
	}
	name, err := s.text()
	if err != nil {
		return nil, err
	}
	if s.space(); s.peek() != ':' {
		return nil, s.fault(s.pos, "expected a colon but found "+s.seen())
	}
	s.pos++
	s.space()
	return name, nil
}

func (s *scanner) array(depth int) *Fault {
	if depth > maxDepth {
		return s.tooDeep()
	}
	s.pos++
	if s.space(); s.peek() == ']' {
		s.pos++
		return nil
	}
	for i := 0; ; i++ {
		if err := s.value(depth); err != nil {
			return within("["+strconv.Itoa(i)+"]", err)
		}
		s.space()
		switch s.peek() {
		case ',':
			s.pos++
			s.space()
		case ']':
			s.pos++
			return nil
		default:
			return s.fault(s.pos, "expected a comma or ] but found "+s.seen())
		}
	}
}

// within puts one step in front of a fault's path. A path that grows too long
// loses its inner steps.
func within(step string, err *Fault) *Fault {
	step = Clip(step, MaxName)
	err.Path = Clip(err.Path, maxPath)
	switch {
	case err.Path == "":
		err.Path = step
	case err.Path[0] == '[':
		err.Path = step + err.Path
	default:
		err.Path = step + "." + err.Path
	}
	return err
}

// Clip cuts what a message repeats to at most n bytes, between characters, and
// marks the cut.
func Clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

func (s *scanner) tooDeep() *Fault {
	return s.fault(s.pos, "the JSON text nests deeper than "+strconv.Itoa(maxDepth)+" levels")
}

func (s *scanner) fault(at int, reason string) *Fault {
	return &Fault{Offset: int64(at), Reason: reason}
}

// seen describes what is at pos, for messages.
func (s *scanner) seen() string {
	if s.pos >= len(s.src) {
		return "the end of the text"
	}
	r, size := utf8.DecodeRune(s.src[s.pos:])
	if r == utf8.RuneError && size == 1 {
		return "a byte that is not UTF-8"
	}
	return strconv.QuoteRune(r)
}

// peek is the byte at pos, or 0 at the end. NUL is no JSON token, so the two
// need not be told apart.
func (s *scanner) peek() byte {
	if s.pos < len(s.src) {
		return s.src[s.pos]
	}
	return 0
}

func (s *scanner) space() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}
