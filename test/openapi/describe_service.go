package main

import (
	"errors"
	"fmt"
	"go/types"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/test/openapi/answers"
)

// describe makes the description of one service.
func describe(code *source, m module.Module, learnt answers.Operations, w *words) (object, error) {
	d := &description{
		source: code, module: m, learnt: learnt, words: w, schemas: newSchemas(),
		ids: map[string]int{}, first: map[string]string{},
	}
	d.handlers = code.rows(m.Name)
	d.failure = d.envelope()
	paths := object{}
	for _, r := range m.Routes {
		handler := d.handler(r)
		if r.Method == "" || handler == nil || !handles(handler.Name()) || handler.Name() == "handleUnknown" {
			continue // refusals that the service spells itself
		}
		where := answers.Path(r.Pattern)
		item, ok := paths[where].(object)
		if !ok {
			item = object{}
			paths[where] = item
		}
		item[strings.ToLower(r.Method)] = d.operation(r, handler)
	}
	d.settle()
	components := object{"schemas": d.schemas.components}
	out := object{
		"openapi": "3.1.0",
		"info": object{
			"title": m.Title, "version": m.Letter,
			"description": "Generated from the route table, the wire types and the answers of service " + m.Name + ".",
		},
		"servers":    []object{{"url": "/"}},
		"paths":      paths,
		"components": components,
	}
	if d.secured {
		components["securitySchemes"] = object{"credential": credential(m)}
	}
	return out, errors.Join(w.check(), d.schemas.check())
}

type description struct {
	*source
	module  module.Module
	learnt  answers.Operations
	words   *words
	pending []pending
	schemas *schemas
	// handlers are those of the route tables, by the name of the row.
	handlers map[string]*types.Func
	failure  []types.Type
	ids      map[string]int
	// first is the call that a name belongs to first, for those that share it.
	first   map[string]string
	secured bool
}

func (d *description) handler(r route.Route) *types.Func {
	if r.Handle == nil {
		return nil
	}
	name := runtime.FuncForPC(reflect.ValueOf(r.Handle).Pointer()).Name()
	f := d.find(name)
	if f != nil && handles(f.Name()) {
		return f
	}
	return d.byName(r.Name, f)
}

// handles reports whether a function is named after what it handles: one called handle wraps others.
func handles(name string) bool { return strings.HasPrefix(name, "handle") && name != "handle" }

// byName finds the handler inside a wrapper, such as s.reads(s.handleGet), by
// the row of the route table.
func (d *description) byName(name string, wrapper *types.Func) *types.Func {
	if found := d.handlers[name]; found != nil {
		return found
	}
	return wrapper
}

func (d *description) operation(r route.Route, handler *types.Func) object {
	t := d.trace(handler)
	out := object{"operationId": d.unique(r.Name), "responses": d.responses(r, t), "tags": []string{noun(r.Name)}}
	d.explain(out, r, handler)
	if p := d.parameters(r, t); len(p) > 0 {
		out["parameters"] = p
	}
	if body := d.requestBody(r, t); body != nil {
		out["requestBody"] = body
	}
	switch r.Access {
	case route.Required:
		out["security"] = []object{{"credential": scopes(r)}}
		d.secured = true
	case route.Optional:
		out["security"] = []object{{}, {"credential": scopes(r)}}
		d.secured = true
	case route.Open:
	}
	return out
}

// unique keeps operation ids apart when a name serves several addresses.
func (d *description) unique(name string) string {
	d.ids[name]++
	if n := d.ids[name]; n > 1 {
		return fmt.Sprintf("%s.%d", name, n)
	}
	return name
}

func noun(name string) string {
	first, _, found := strings.Cut(name, ".")
	if !found {
		return "operations"
	}
	return first
}

// explain adds what the operation does, in words.
func (d *description) explain(out object, r route.Route, handler *types.Func) {
	said := d.words.operation(r, handler, d.body(handler).Doc.Text())
	out["summary"] = said.summary
	text := said.description
	call := r.Method + " " + answers.Path(r.Pattern)
	if same := d.first[r.Name]; same != "" {
		text = strings.TrimSpace(text + " The same call as " + same + ".")
	} else {
		d.first[r.Name] = call
	}
	if text != "" {
		out["description"] = text
	}
}

func scopes(r route.Route) []string {
	if r.Scopes == nil {
		return []string{}
	}
	return r.Scopes
}

var segment = regexp.MustCompile(`\{([a-zA-Z_0-9]+)(?:\.\.\.)?\}`)

func (d *description) parameters(r route.Route, t traffic) []object {
	var out []object
	known := map[string]bool{}
	for _, found := range segment.FindAllStringSubmatch(r.Pattern, -1) {
		known[found[1]] = true
		out = append(out, object{
			"name": found[1], "in": "path", "required": true,
			"description": d.words.parameter(r.Name, found[1]), "schema": object{"type": "string"},
		})
	}
	if t.form {
		return out
	}
	for _, name := range append(slices.Clone(t.names), r.Parameters...) {
		if !known[name] {
			known[name] = true
			out = append(out, object{
				"name": name, "in": "query",
				"description": d.words.parameter(r.Name, name), "schema": object{"type": "string"},
			})
		}
	}
	return out
}

func (d *description) requestBody(r route.Route, t traffic) object {
	if r.Method == http.MethodGet || r.Method == http.MethodDelete {
		return nil
	}
	if t.form {
		properties := object{}
		for _, name := range t.names {
			properties[name] = object{"type": "string", "description": d.words.parameter(r.Name, name)}
		}
		return content("application/x-www-form-urlencoded", object{"type": "object", "properties": properties})
	}
	if len(t.in) == 0 {
		return nil
	}
	return content("application/json", d.either(t.in))
}

// either is the schema of one type, or of any of several.
func (d *description) either(list []types.Type) object {
	if len(list) == 1 {
		return d.schemas.of(list[0])
	}
	var any []object
	for _, t := range list {
		any = append(any, d.schemas.of(t))
	}
	return object{"anyOf": any}
}

func content(kind string, schema object) object {
	return object{"content": object{kind: object{"schema": schema}}}
}

func (d *description) responses(r route.Route, t traffic) object {
	out := object{}
	learnt := d.learnt[answers.Operation(r.Method, r.Pattern)]
	for _, status := range slices.Sorted(maps.Keys(learnt)) {
		if status == answers.Refused {
			continue
		}
		out[status] = d.learntAnswer(r, t, status, learnt[status])
	}
	for _, status := range t.statuses() {
		known := out[strconv.Itoa(status)] != nil || status == okStatus && len(out) > 0
		if len(t.out[status]) > 0 && !known {
			answer := content("application/json", d.either(t.out[status]))
			answer["description"] = http.StatusText(status)
			out[strconv.Itoa(status)] = answer
		}
	}
	if len(out) == 0 && len(t.encoded) == 1 && !t.empty {
		answer := content("application/json", d.either(t.encoded))
		answer["description"] = "OK"
		out["200"] = answer
	}
	if t.empty && out[strconv.Itoa(noContent)] == nil {
		out[strconv.Itoa(noContent)] = object{"description": "No Content"}
	}
	if len(out) == 0 {
		out["200"] = object{"description": "OK"}
	}
	out[answers.Refused] = d.refused(r, learnt[answers.Refused])
	return out
}

var (
	headerKey = regexp.MustCompile(`-H "([A-Za-z-]+): \$STOA_`)
	queryKey  = regexp.MustCompile(`[?&]([a-z_]+)=\$STOA_[A-Z_]*KEY`)
)

// credential is how the service's own example presents one.
func credential(m module.Module) object {
	if found := headerKey.FindStringSubmatch(m.Example.Shell); found != nil {
		return object{"type": "apiKey", "in": "header", "name": found[1]}
	}
	if found := queryKey.FindStringSubmatch(m.Example.Shell); found != nil {
		return object{"type": "apiKey", "in": "query", "name": found[1]}
	}
	return object{"type": "http", "scheme": "bearer"}
}
