package adversary

import (
	"net/url"
	"strings"
)

// parameterAttacks set one query parameter at a time to something hostile, then
// send very many.
func (o Operation) parameterAttacks() []Attack {
	var list []Attack
	add := func(kind, query string) {
		list = append(list, Attack{Operation: o, Kind: kind, Query: query})
	}
	for _, name := range o.Query {
		key := url.QueryEscape(name) + "="
		add("parameter "+name+" long", key+strings.Repeat("x", longText))
		for _, edge := range edges() {
			add("parameter "+name+" "+edge, key+edge)
		}
		for _, t := range Texts() {
			add("parameter "+name+" "+t.Name, key+cut(url.QueryEscape(t.Make(longText/3)), longText))
		}
	}
	add("many parameters", strings.Repeat("a=1&", longText/4))
	return list
}

// formAttacks are the same for forms.
func (o Operation) formAttacks() []Attack {
	n := o.size()
	list := []Attack{}
	add := func(kind string, body func() []byte) {
		list = append(list, Attack{Operation: o, Kind: kind, Make: body, Media: o.Media})
	}
	add("many fields", func() []byte { return repeat("", "a=&", "a=", n) })
	add("long field", func() []byte { return repeat("a=", "x", "", n) })
	if o.Body != nil {
		for _, p := range paths(o.Body, "", 0) {
			name := url.QueryEscape(strings.TrimPrefix(p.name, "/"))
			add("field "+name, func() []byte { return repeat(name+"=", "x", "", n) })
		}
	}
	return list
}

func cut(s string, n int) string {
	if len(s) > n {
		// Not in the middle of an escape.
		s = s[:n-2]
		if i := strings.LastIndexByte(s, '%'); i > len(s)-3 {
			s = s[:i]
		}
	}
	return s
}
