package describe

import (
	"regexp"
	"strings"
)

// Object is a JSON object; encoding/json sorts its members.
type Object = map[string]any

// segment is a wildcard in a route pattern.
var segment = regexp.MustCompile(`\{([a-zA-Z_0-9]+)(?:\.\.\.)?\}`)

// Path is a route pattern as OpenAPI writes it.
func Path(pattern string) string {
	return segment.ReplaceAllString(strings.TrimSuffix(pattern, "{$}"), "{$1}")
}

// Parameters are the wildcards of a pattern, then the members of the query that
// are not among them.
func Parameters(pattern string, query ...string) []Object {
	var out []Object
	inPath := map[string]bool{}
	for _, found := range segment.FindAllStringSubmatch(pattern, -1) {
		inPath[found[1]] = true
		out = append(out, Object{"name": found[1], "in": "path", "required": true, "schema": Object{"type": "string"}})
	}
	for _, name := range query {
		if !inPath[name] {
			out = append(out, Object{"name": name, "in": "query", "schema": Object{"type": "string"}})
		}
	}
	return out
}

// Content is a body of a media type.
func Content(media string, schema Object) Object {
	return Object{"content": Object{media: Object{"schema": schema}}}
}

// Answer is a JSON body with the words that say what it means.
func Answer(words string, schema Object) Object {
	out := Content("application/json", schema)
	out["description"] = words
	return out
}

// Paths are the operations of a description, by path and method.
type Paths map[string]Object

// Add notes an operation.
func (p Paths) Add(method, pattern string, operation Object) {
	path := Path(pattern)
	if p[path] == nil {
		p[path] = Object{}
	}
	p[path][strings.ToLower(method)] = operation
}

// Operation is what a description says about a route beyond its row in the route
// table. In and Out are values of the wire types; a nil In means no body.
type Operation struct {
	Summary string
	In, Out any
	Query   []string
}
