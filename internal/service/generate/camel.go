package generate

import "bytes"

// camelNames rewrites the member names of a JSON text from snake_case to
// lowerCamelCase, because requests may use either. The text must already be
// known to be valid JSON. What clients name themselves stays as it is: the
// names inside properties, and everything inside free-form values. brand maps
// further spellings of our own members to the contract's.
func camelNames(b []byte, brand map[string]string) []byte {
	if bytes.IndexByte(b, '_') < 0 && !mentions(b, brand) {
		return b
	}
	c := camel{in: b, out: make([]byte, 0, len(b)), brand: brand}
	c.value(renamed)
	return c.out
}

func mentions(b []byte, brand map[string]string) bool {
	for name := range brand {
		if bytes.Contains(b, []byte(name)) {
			return true
		}
	}
	return false
}

// How the names of an object are treated.
const (
	renamed  = iota // our own members
	named           // names of the client, with our own members below them
	verbatim        // the client's, all the way down
)

type camel struct {
	in  []byte
	pos int
	out []byte
	// brand is empty where only the contract's spelling is taken.
	brand map[string]string
}

// inside tells how the value of a member is treated.
func inside(mode int, name string) int {
	if mode == verbatim {
		return verbatim
	}
	if mode == named {
		return renamed
	}
	switch name {
	case "properties":
		return named
	case "args", "parametersJsonSchema", "responseJsonSchema", "_responseJsonSchema", "partMetadata", "example", "default", "metadata":
		return verbatim
	}
	return renamed
}

func (c *camel) value(mode int) {
	c.space()
	if c.pos >= len(c.in) {
		return
	}
	switch c.in[c.pos] {
	case '{':
		c.object(mode)
	case '[':
		c.array(mode)
	case '"':
		c.out = append(c.out, c.text()...)
	default:
		start := c.pos
		for c.pos < len(c.in) && bytes.IndexByte([]byte(",]} \t\r\n"), c.in[c.pos]) < 0 {
			c.pos++
		}
		c.out = append(c.out, c.in[start:c.pos]...)
	}
	c.space()
}

func (c *camel) array(mode int) {
	c.take()
	for c.space(); c.pos < len(c.in) && c.in[c.pos] != ']'; c.space() {
		start := c.pos
		c.value(mode)
		if c.pos < len(c.in) && c.in[c.pos] == ',' {
			c.take()
		}
		if c.pos == start {
			return // a closing brace: no JSON
		}
	}
	c.take()
}

func (c *camel) object(mode int) {
	c.take()
	for c.space(); c.pos < len(c.in) && c.in[c.pos] != '}'; c.space() {
		quoted := c.text()
		if len(quoted) == 0 {
			return
		}
		name := quoted[1 : len(quoted)-1]
		if mode == renamed {
			name = camelName(name)
			if neutral, ok := c.brand[string(name)]; ok {
				name = []byte(neutral)
			}
		}
		c.out = append(c.out, '"')
		c.out = append(c.out, name...)
		c.out = append(c.out, '"')
		c.space()
		c.take() // the colon
		c.member(mode, string(name))
		if c.pos < len(c.in) && c.in[c.pos] == ',' {
			c.take()
		}
	}
	c.take()
}

// member treats the free-form result of a function apart: it is the value of
// "response" directly inside a functionResponse.
func (c *camel) member(mode int, name string) {
	if mode == renamed && name == "functionResponse" {
		c.functionResponse()
		return
	}
	c.value(inside(mode, name))
}

func (c *camel) functionResponse() {
	c.space()
	if c.pos >= len(c.in) || c.in[c.pos] != '{' {
		c.value(renamed)
		return
	}
	c.take()
	for c.space(); c.pos < len(c.in) && c.in[c.pos] != '}'; c.space() {
		quoted := c.text()
		if len(quoted) == 0 {
			return
		}
		name := camelName(quoted[1 : len(quoted)-1])
		c.out = append(append(append(c.out, '"'), name...), '"')
		c.space()
		c.take()
		if string(name) == "response" {
			c.value(verbatim)
		} else {
			c.value(inside(renamed, string(name)))
		}
		if c.pos < len(c.in) && c.in[c.pos] == ',' {
			c.take()
		}
	}
	c.take()
}

// take copies one byte.
func (c *camel) take() {
	if c.pos < len(c.in) {
		c.out = append(c.out, c.in[c.pos])
		c.pos++
	}
}

func (c *camel) space() {
	for c.pos < len(c.in) && (c.in[c.pos] == ' ' || c.in[c.pos] == '\t' || c.in[c.pos] == '\r' || c.in[c.pos] == '\n') {
		c.pos++
	}
}

// text moves past a string and returns it with its quotes.
func (c *camel) text() []byte {
	start := c.pos
	if c.pos >= len(c.in) || c.in[c.pos] != '"' {
		return nil
	}
	for c.pos++; c.pos < len(c.in); c.pos++ {
		switch c.in[c.pos] {
		case '\\':
			c.pos++
		case '"':
			c.pos++
			return c.in[start:c.pos]
		}
	}
	return nil
}

// camelName leaves a leading underscore, which one older member has.
func camelName(name []byte) []byte {
	if len(name) < 2 || bytes.IndexByte(name[1:], '_') < 0 {
		return name
	}
	out := make([]byte, 0, len(name))
	upper := false
	for i, b := range name {
		switch {
		case b == '_' && i > 0:
			upper = true
		case upper && b >= 'a' && b <= 'z':
			out = append(out, b-'a'+'A')
			upper = false
		default:
			out = append(out, b)
			upper = false
		}
	}
	return out
}
