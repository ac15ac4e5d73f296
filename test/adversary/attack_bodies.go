package adversary

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Attack is one request.
type Attack struct {
	Operation Operation
	// Kind says what the attack is, for messages.
	Kind string
	// Query is the raw query.
	Query string
	// Make builds the body, nil for none; bodies are large, so they are made
	// when they are sent.
	Make func() []byte
	// Media is the Content-Type, Coding the Content-Encoding.
	Media, Coding string
}

// String names the attack in messages.
func (a Attack) String() string {
	kind := a.Kind
	if a.Coding != "" {
		kind += " " + a.Coding
	}
	return a.Operation.String() + ": " + kind
}

const (
	// defaultBody is what a mux accepts when neither it nor the route says.
	defaultBody = 1 << 20
	// largeBody is sent where a route has no limit or a very large one.
	largeBody = 16 << 20
	// bombSize is what a compressed body unpacks to.
	bombSize = 256 << 20
	// longText is a parameter that fits into a header of 64 kB.
	longText = 30 << 10
	// deepest is far beyond any bound on nesting.
	deepest = 100_000
)

// size is how large the bodies of an operation are made.
func (o Operation) size() int {
	switch {
	case o.MaxBody == 0:
		return defaultBody
	case o.MaxBody < 0 || o.MaxBody > largeBody:
		return largeBody
	}
	return int(o.MaxBody)
}

// Attacks are all attacks on one operation.
func (o Operation) Attacks() []Attack {
	list := o.parameterAttacks()
	if !o.TakesBody() {
		return list
	}
	if o.Media == "application/x-www-form-urlencoded" {
		return append(list, o.formAttacks()...)
	}
	for _, shape := range o.shapes() {
		list = append(list, Attack{Operation: o, Kind: shape.kind, Make: shape.make, Media: o.media()})
	}
	return append(list, o.packedAttacks()...)
}

func (o Operation) media() string {
	if o.Media == "" {
		return "application/json"
	}
	return o.Media
}

// shape is a body.
type shape struct {
	kind string
	make func() []byte
}

// shapes are the bodies: general ones, then one of each kind for each member
// that the description knows.
func (o Operation) shapes() []shape {
	n := o.size()
	list := []shape{
		{"empty elements", func() []byte { return repeat("[", "{},", "{}]", n) }},
		{"many members", func() []byte { return members(n) }},
		{"deep arrays", func() []byte { return nested("[", "]") }},
		{"deep objects", func() []byte { return nested(`{"a":`, "}") }},
		{"long name", func() []byte { return repeat(`{"`, "a", `":1}`, n) }},
		{"long number", func() []byte { return repeat(`{"a":1`, "0", "}", n) }},
		{"not JSON", func() []byte { return repeat("", "\xff\x00", "", n) }},
		{"too large", func() []byte { return repeat(`["`, "x", `"]`, n+1) }},
	}
	if o.Body == nil {
		return list
	}
	element := o.Body
	before, after := "", ""
	if o.Body.is("array") && o.Body.Items != nil {
		element, before, after = o.Body.Items, "[", "]"
	}
	for _, p := range paths(element, "", 0) {
		list = append(list, memberShapes(p, before, after, n)...)
	}
	return list
}

// path leads to one member: open and shut surround its value.
type path struct {
	name, open, shut string
	schema           *schema
}

// maxPaths bounds the members that are attacked one by one.
const maxPaths = 60

// paths lists the members of an object and of the objects and lists in it.
func paths(s *schema, name string, depth int) []path {
	var list []path
	if s == nil || depth > 2 {
		return nil
	}
	for _, member := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[member]
		open, shut := `{"`+member+`":`, `}`
		list = append(list, path{name: name + "/" + member, open: open, shut: shut, schema: p})
		inner := paths(p, name+"/"+member, depth+1)
		if p.is("array") && p.Items != nil {
			open, shut = open+"[", "]"+shut
			inner = paths(p.Items, name+"/"+member+"[]", depth+1)
		}
		for _, i := range inner {
			list = append(list, path{name: i.name, open: open + i.open, shut: i.shut + shut, schema: i.schema})
		}
	}
	if len(list) > maxPaths {
		list = list[:maxPaths]
	}
	return list
}

// memberShapes are bodies whose one member is made large.
func memberShapes(p path, before, after string, n int) []shape {
	open, shut := before+p.open, p.shut+after
	fill := func(kind, first, again, last string) shape {
		return shape{p.name + " " + kind, func() []byte { return repeat(open+first, again, last+shut, n) }}
	}
	list := []shape{}
	if p.schema.is("array") {
		list = append(list,
			fill("empty objects", "[", "{},", "{}]"), fill("empty lists", "[", "[],", "[]]"),
			fill("empty texts", "[", `"",`, `""]`), fill("zeros", "[", "0,", "0]"))
	}
	if p.schema.is("string") {
		list = append(list, fill("long text", `"`, "x", `"`))
		for _, t := range Texts() {
			list = append(list, shape{p.name + " " + t.Name, func() []byte {
				return []byte(open + quote(t.Make(min(n, defaultBody))) + shut)
			}})
		}
	}
	if p.schema.is("integer") || p.schema.is("number") {
		for _, edge := range edges() {
			list = append(list, shape{p.name + " " + edge, func() []byte { return []byte(open + edge + shut) }})
		}
	}
	return list
}

// quote is s as JSON.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return string(b)
}

// edges are numbers that arithmetic trips over.
func edges() []string {
	return []string{"0", "-1", "2147483648", "9223372036854775807", "-9223372036854775808", "1e308", "1e-400"}
}

// repeat is first, again as often as fits into n bytes, last.
func repeat(first, again, last string, n int) []byte {
	times := max((n-len(first)-len(last))/len(again), 0)
	var b bytes.Buffer
	b.Grow(n + len(again))
	b.WriteString(first)
	b.WriteString(strings.Repeat(again, times))
	b.WriteString(last)
	return b.Bytes()
}

// members is an object with as many members as fit into n bytes.
func members(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"a":0`)
	for i := 0; b.Len() < n-16; i++ {
		fmt.Fprintf(&b, `,"%x":0`, i)
	}
	b.WriteString("}")
	return b.Bytes()
}

func nested(open, shut string) []byte {
	return []byte(strings.Repeat(open, deepest) + "1" + strings.Repeat(shut, deepest))
}

// packedAttacks are bodies in every encoding: the largest that is accepted, and
// one that unpacks to far more.
func (o Operation) packedAttacks() []Attack {
	var list []Attack
	for _, c := range packed() {
		list = append(list,
			Attack{Operation: o, Kind: "empty elements", Coding: c.name, Media: o.media(), Make: c.elements},
			Attack{Operation: o, Kind: "bomb", Coding: c.name, Media: o.media(), Make: c.bomb})
	}
	return list
}

// packedBodies are the bodies of one encoding.
type packedBodies struct {
	name           string
	elements, bomb func() []byte
}

// packed makes each body once: packing hundreds of megabytes takes longer than
// refusing them.
var packed = sync.OnceValue(func() []packedBodies {
	var list []packedBodies
	for _, c := range codings() {
		list = append(list, packedBodies{
			name: c.name,
			elements: sync.OnceValue(func() []byte {
				return c.pack(func(write func([]byte)) { write(repeat("[", "{},", "{}]", largeBody)) })
			}),
			bomb: sync.OnceValue(c.bomb),
		})
	}
	return list
})

// coding is one Content-Encoding.
type coding struct {
	name string
	pack func(fill func(write func([]byte))) []byte
}

// bomb is a body of blanks, which is what JSON readers pass over.
func (c coding) bomb() []byte {
	block := bytes.Repeat([]byte(" "), 1<<20)
	return c.pack(func(write func([]byte)) {
		for range bombSize >> 20 {
			write(block)
		}
	})
}

func codings() []coding {
	return []coding{
		{"gzip", func(fill func(func([]byte))) []byte {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			fill(func(p []byte) { _, _ = w.Write(p) }) // a buffer takes everything
			_ = w.Close()
			return b.Bytes()
		}},
		{"deflate", func(fill func(func([]byte))) []byte {
			var b bytes.Buffer
			w, _ := flate.NewWriter(&b, flate.BestSpeed) // the level is known good
			fill(func(p []byte) { _, _ = w.Write(p) })
			_ = w.Close()
			return b.Bytes()
		}},
		{"zstd", func(fill func(func([]byte))) []byte {
			var b bytes.Buffer
			w, _ := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1)) // the options are known good
			fill(func(p []byte) { _, _ = w.Write(p) })
			_ = w.Close()
			return b.Bytes()
		}},
		{"snappy", func(fill func(func([]byte))) []byte {
			var plain bytes.Buffer
			fill(func(p []byte) { plain.Write(p) })
			return s2.EncodeSnappy(nil, plain.Bytes())
		}},
	}
}
