package recipe

import (
	"regexp"
	parse "regexp/syntax"
)

// Bounds of one pattern: its text, the instructions it becomes, and the text it
// is tried on. A repetition makes a short pattern a long program.
const (
	maxPattern = 500
	maxProgram = 5_000
	maxTried   = 4 << 10
)

// pattern is an expression that must match a text in full.
type pattern struct {
	re   *regexp.Regexp
	size int
}

// compile reads a pattern. One that the file has used before costs nothing.
func (s scope) compile(n *node, text string) (*pattern, error) {
	if len(text) > maxPattern {
		return nil, n.errorf("the pattern has %d characters, at most %d", len(text), maxPattern)
	}
	if s.left != nil {
		if known := s.left.compiled[text]; known != nil {
			return known, nil
		}
	}
	tree, err := parse.Parse(text, parse.Perl)
	if err != nil {
		return nil, n.errorf("the pattern %q is not understood: %v", text, err)
	}
	p := &pattern{size: program(tree)}
	if p.size > maxProgram {
		return nil, n.errorf("the pattern %q repeats too much: it takes more than %d steps of work", text, maxProgram)
	}
	if s.left != nil {
		if s.left.programs -= p.size; s.left.programs < 0 {
			return nil, n.errorf("the patterns of the file take more than %d steps of work together", maxPrograms)
		}
	}
	if p.re, err = regexp.Compile(`\A(?:` + text + `)\z`); err != nil {
		return nil, n.errorf("the pattern %q is not understood: %v", text, err)
	}
	if s.left != nil {
		s.left.compiled[text] = p
	}
	return p, nil
}

// matched tries a pattern on a text and pays for it.
func (s scope) matched(n *node, p *pattern, text string) (bool, error) {
	if len(text) > maxTried {
		return false, n.errorf("a pattern is tried on at most %d bytes, this text has %d", maxTried, len(text))
	}
	if s.left == nil {
		return p.re.MatchString(text), nil
	}
	// The name of a branch meets the same patterns in every job.
	last, ok := s.left.tried[p]
	if ok && last.text == text {
		return last.result, s.spend(n, 1, 0)
	}
	if err := s.spend(n, 1+p.size*len(text)/256, 0); err != nil {
		return false, err
	}
	last = tried{text, p.re.MatchString(text)}
	s.left.tried[p] = last
	return last.result, nil
}

// tried is what became of a pattern and the last text it was tried on.
type tried struct {
	text   string
	result bool
}

// program is about how many instructions an expression becomes, counted no
// further than the bound of one.
func program(e *parse.Regexp) int {
	size := 1 + len(e.Rune)/2
	for _, sub := range e.Sub {
		if size += program(sub); size > maxProgram {
			return size
		}
	}
	if e.Op == parse.OpRepeat {
		size *= max(1, e.Min, e.Max)
	}
	return min(size, maxProgram+1)
}
