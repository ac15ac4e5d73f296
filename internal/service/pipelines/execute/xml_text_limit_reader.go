package execute

import (
	"bufio"
	"fmt"
	"io"
)

// Bounds of the pieces of a report: the names of a tag and its attributes, and
// what is kept of a text, the values of a tag, a comment or a CDATA section.
const (
	maxTag  = 64 << 10
	maxText = 64 << 10
)

// slimReader passes XML on with its texts cut. The XML reader keeps a whole tag
// or text in memory, many times its size for a tag of small attributes; what
// tests print is often long, and the beginning of it is all that is kept.
type slimReader struct {
	from  *bufio.Reader
	place slimPlace
	// size counts the text of the present piece, marks what else is in a tag.
	size, marks int
	// quote is the open quotation mark within a tag, entity tells that the text
	// is within one, passed that its last byte was passed on.
	quote          byte
	entity, passed bool
	// recent are the last bytes of the piece, to find where it ends.
	recent [3]byte
	// pending is passed on before anything else is read.
	pending string
}

// slimPlace is the kind of the present piece.
type slimPlace int

const (
	slimText slimPlace = iota
	slimTag
	slimInstruction
	slimComment
	slimCDATA
)

func newSlimReader(from io.Reader) *slimReader { return &slimReader{from: bufio.NewReader(from)} }

// Read implements io.Reader; the XML reader uses ReadByte.
func (r *slimReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	c, err := r.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = c
	return 1, nil
}

// ReadByte implements io.ByteReader.
func (r *slimReader) ReadByte() (byte, error) {
	for {
		if r.pending != "" {
			c := r.pending[0]
			r.pending = r.pending[1:]
			return c, nil
		}
		c, err := r.from.ReadByte()
		if err != nil {
			return 0, err
		}
		pass, err := r.step(c)
		if pass || err != nil {
			return c, err
		}
	}
}

// step follows one byte and reports whether it is passed on.
func (r *slimReader) step(c byte) (bool, error) {
	if r.place == slimText && c == '<' {
		r.enter(r.opening())
	}
	r.recent = [3]byte{r.recent[1], r.recent[2], c}
	switch r.place {
	case slimTag, slimInstruction:
		return r.tag(c)
	case slimComment:
		return r.section(c, "-->"), nil
	case slimCDATA:
		return r.section(c, "]]>"), nil
	case slimText:
	}
	return r.keep(c), nil
}

// keep counts a byte of a text and reports whether it is passed on. A letter or an
// entity is passed on whole, or the text would not be XML any more.
func (r *slimReader) keep(c byte) bool {
	const longest = len("&quot;") + 10
	r.size++
	pass := r.size <= maxText || r.size <= maxText+longest && r.passed && (r.entity || c&0xC0 == 0x80)
	switch c {
	case '&':
		r.entity = pass
	case ';':
		r.entity = false
	}
	r.passed = pass
	return pass
}

// opening is the kind of the piece that begins with the present bracket.
func (r *slimReader) opening() slimPlace {
	next, _ := r.from.Peek(8) // what is missing at the end is no section
	switch {
	case string(next) == "![CDATA[":
		return slimCDATA
	case len(next) >= 3 && string(next[:3]) == "!--":
		return slimComment
	case len(next) >= 1 && next[0] == '?':
		return slimInstruction
	}
	return slimTag
}

func (r *slimReader) enter(place slimPlace) {
	r.place, r.size, r.marks, r.quote, r.entity, r.recent = place, 0, 0, 0, false, [3]byte{}
}

// tag follows a tag to its end, which no quotation hides. Its values together
// are cut like a text.
func (r *slimReader) tag(c byte) (bool, error) {
	if r.quote != 0 && c != r.quote {
		return r.keep(c), nil
	}
	if r.marks++; r.marks > maxTag {
		return false, fmt.Errorf("%w: a tag with more than %d bytes of names", errReport, maxTag)
	}
	switch {
	case r.quote != 0:
		r.quote, r.entity = 0, false
	case r.place == slimTag && (c == '"' || c == '\''):
		r.quote = c
	case c == '>':
		r.enter(slimText)
	}
	return true, nil
}

// section follows a comment or CDATA section. Of one that is cut the end is made
// anew, after a space: two dashes within a comment would not be XML.
func (r *slimReader) section(c byte, end string) bool {
	const shortest = len("<!---->")
	pass := r.keep(c)
	if string(r.recent[:]) != end || r.size < shortest {
		return pass
	}
	over := r.size > maxText
	r.enter(slimText)
	if over {
		r.pending = " " + end
	}
	return !over
}
