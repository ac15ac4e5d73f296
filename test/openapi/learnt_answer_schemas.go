package main

import (
	"encoding/json"
	"fmt"
	"go/types"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/test/openapi/answers"
)

// pending is a body that is described by what was learnt. It is filled in when
// all are known, because equal objects become one component.
type pending struct {
	content object
	shape   *answers.Shape
	noun    string
	// or is what the body may be instead, nil for nothing.
	or object
}

// learntAnswer describes one status of an operation.
func (d *description) learntAnswer(r route.Route, t traffic, status string, media answers.Media) object {
	code, _ := strconv.Atoi(status)
	out := object{"description": http.StatusText(code)}
	if len(media) == 0 {
		if found := t.out[code]; len(found) > 0 { // only answers without a body were seen
			out["content"] = object{"application/json": object{"schema": d.either(found)}}
		}
		return out
	}
	contents := object{}
	for _, kind := range slices.Sorted(maps.Keys(media)) {
		shape, body := media[kind], object{}
		contents[kind] = body
		if len(shape.Types) == 0 {
			continue
		}
		if traced := d.traced(t, code, shape); traced != nil {
			body["schema"] = traced
			continue
		}
		d.pending = append(d.pending, pending{content: body, shape: d.inner(t, shape), noun: subject(r.Name)})
	}
	out["content"] = contents
	return out
}

// traced is the schema of what tracing found for the status, nil when nothing
// was found or when the true answers contradict it.
func (d *description) traced(t traffic, status int, shape *answers.Shape) object {
	found := [][]types.Type{t.out[status], t.out[okStatus], t.encoded}
	var candidates [][]types.Type
	for _, one := range slices.Concat(found...) {
		candidates = append(candidates, []types.Type{one})
	}
	for _, list := range found {
		if len(list) > 1 {
			candidates = append(candidates, list)
		}
	}
	for _, list := range candidates {
		if describes(list, shape) {
			schema := d.either(list)
			d.widen(schema, shape)
			return schema
		}
	}
	return nil
}

// widen adds null to the members of a traced schema that were null in an answer:
// the source does not tell a pointer that is always set from one that is not.
func (d *description) widen(schema object, s *answers.Shape) {
	if s == nil {
		return
	}
	if name, ok := schema["$ref"].(string); ok {
		schema, _ = d.schemas.components[strings.TrimPrefix(name, "#/components/schemas/")].(object)
	}
	if items, ok := schema["items"].(object); ok && s.Items != nil {
		schema["items"] = d.orNull(items, s.Items)
	}
	properties, _ := schema["properties"].(object)
	for name, member := range s.Members {
		if inner, ok := properties[name].(object); ok {
			properties[name] = d.orNull(inner, member)
		}
	}
}

// orNull is the schema of a member or an element, with null if it was seen.
func (d *description) orNull(schema object, s *answers.Shape) object {
	if alternatives, ok := schema["anyOf"].([]object); ok && len(alternatives) > 0 {
		d.widen(alternatives[0], s)
		return schema
	}
	d.widen(schema, s)
	if !slices.Contains(s.Types, "null") || len(schema) == 0 {
		return schema
	}
	return object{"anyOf": []object{schema, {"type": "null"}}}
}

// describes reports whether types say something, and nothing that the true
// answers contradict.
func describes(list []types.Type, shape *answers.Shape) bool {
	// What is refused must leave no component behind.
	trial := &description{schemas: newSchemas()}
	described, components := parse(trial.either(list), trial.schemas.components)
	return described.Says() && components.Contradicts(shape, described) == ""
}

// inner puts traced types in the place of the objects inside a learnt shape that
// they describe: what an envelope carries is often traced when the envelope is
// not.
func (d *description) inner(t traffic, s *answers.Shape) *answers.Shape {
	if s == nil {
		return nil
	}
	out := *s
	if len(s.Members) > 0 {
		object := *s
		object.Types = answers.Types{"object"}
		for _, one := range t.all() {
			if slice, ok := one.Underlying().(*types.Slice); ok {
				one = slice.Elem()
			}
			if _, named := one.(*types.Named); named && describes([]types.Type{one}, &object) {
				schema := d.schemas.of(one)
				d.widen(schema, &object)
				out.Ref, _ = schema["$ref"].(string)
				return &out
			}
		}
	}
	out.Items, out.Values = d.inner(t, s.Items), d.inner(t, s.Values)
	out.Members = maps.Clone(s.Members)
	for _, name := range slices.Sorted(maps.Keys(s.Members)) {
		out.Members[name] = d.inner(t, s.Members[name])
	}
	return &out
}

func parse(schema, components object) (described *answers.Shape, named answers.Components) {
	text, err := json.Marshal([]any{schema, components})
	if err == nil {
		err = json.Unmarshal(text, &[]any{&described, &named})
	}
	if err != nil {
		panic(fmt.Sprintf("a schema of our own is none: %v", err))
	}
	return described, named
}

// fewMembers is the least that makes an object worth a name.
const fewMembers = 3

// kin are all learnt objects with the same members.
type kin struct {
	shape *answers.Shape
	count int
	votes map[string]int
	name  string
}

// settle gives objects that occur more than once a name and fills in what is
// pending.
func (d *description) settle() {
	families := map[string]*kin{}
	for _, p := range d.pending {
		census(families, p.shape, "", p.noun)
	}
	join(families)
	for _, key := range slices.Sorted(maps.Keys(families)) {
		if f := families[key]; f.count > 1 && f.name == "" {
			d.christen(f)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(families)) {
		if f := families[key]; f.name != "" && len(d.schemas.components[f.name].(object)) == 0 {
			d.schemas.components[f.name] = members(families, f.shape)
		}
	}
	for _, p := range d.pending {
		schema := learntSchema(families, p.shape)
		if p.or != nil {
			schema = object{"anyOf": []object{p.or, schema}}
		}
		p.content["schema"] = schema
	}
}

// census counts the objects in a shape. holder is the member that an object was
// found in, noun the operation's.
func census(families map[string]*kin, s *answers.Shape, holder, noun string) {
	if s == nil || s.Ref != "" {
		return
	}
	if key := kinship(s); key != "" {
		f := families[key]
		if f == nil {
			f = &kin{votes: map[string]int{}}
			families[key] = f
		}
		f.shape = answers.Merge(f.shape, s)
		f.count++
		f.votes[title(holder, noun)]++
	}
	for _, name := range slices.Sorted(maps.Keys(s.Members)) {
		census(families, s.Members[name], name, noun)
	}
	census(families, s.Items, holder, noun)
	census(families, s.Values, holder, noun)
}

// kinship is the same for objects with the same members.
func kinship(s *answers.Shape) string {
	if len(s.Members) < fewMembers {
		return ""
	}
	return strings.Join(slices.Sorted(maps.Keys(s.Members)), " ")
}

// subject is what an operation is about: the noun before the point, or the last
// word of its name.
func subject(name string) string {
	if before, _, found := strings.Cut(name, "."); found {
		return before
	}
	name = strings.TrimSuffix(name, "_by_id")
	if i := strings.LastIndex(name, "_"); i >= 0 {
		return name[i+1:]
	}
	for _, verb := range []string{"Get", "List"} {
		name = strings.TrimPrefix(name, verb)
	}
	return name
}

// title is the singular of the word that says what an object is, in the form of
// a type's name.
func title(holder, noun string) string {
	switch holder {
	case "", "data", "content", "items", "result", "results", "request", "requests",
		"response", "responses", "value", "values":
		holder = noun
	}
	out := ""
	for _, word := range strings.FieldsFunc(holder, func(r rune) bool { return strings.ContainsRune("_-. ", r) }) {
		out += strings.ToUpper(word[:1]) + word[1:]
	}
	switch {
	case strings.HasSuffix(out, "ies"):
		return strings.TrimSuffix(out, "ies") + "y"
	case strings.HasSuffix(out, "sses"):
		return strings.TrimSuffix(out, "es")
	case strings.HasSuffix(out, "ss"), strings.HasSuffix(out, "us"), strings.HasSuffix(out, "is"):
		return out
	}
	return strings.TrimSuffix(out, "s")
}

// best is the name with most votes.
func (f *kin) best() string {
	best := ""
	for _, name := range slices.Sorted(maps.Keys(f.votes)) {
		if best == "" || f.votes[name] > f.votes[best] {
			best = name
		}
	}
	return best
}

// fewLess is how many members an object may lack and still be of the kin.
const fewLess = 2

// join makes one family of those with the same name of which one has a few
// members less than the other.
func join(families map[string]*kin) {
	keys := slices.Sorted(maps.Keys(families))
	slices.SortStableFunc(keys, func(a, b string) int {
		return len(families[b].shape.Members) - len(families[a].shape.Members)
	})
	for i, key := range keys {
		small := families[key]
		for _, other := range keys[:i] {
			large := families[other]
			if large.best() != small.best() || len(large.shape.Members)-len(small.shape.Members) > fewLess ||
				!within(small.shape, large.shape) {
				continue
			}
			large.shape = answers.Merge(large.shape, small.shape)
			large.count += small.count
			families[key] = large
			break
		}
	}
}

// within reports whether all members of one shape are members of the other.
func within(small, large *answers.Shape) bool {
	for name := range small.Members {
		if large.Members[name] == nil {
			return false
		}
	}
	return true
}

// christen names a family by most votes. A traced type of that name which
// describes it too is taken instead of another component.
func (d *description) christen(f *kin) {
	best := f.best()
	f.name = best
	for n := 2; d.schemas.components[f.name] != nil; n++ {
		described, components := parse(object{"$ref": "#/components/schemas/" + f.name}, d.schemas.components)
		if len(d.schemas.components[f.name].(object)) > 0 && components.Contradicts(f.shape, described) == "" {
			return
		}
		f.name = fmt.Sprintf("%s%d", best, n)
	}
	d.schemas.components[f.name] = object{}
}

// learntSchema writes a shape as the other schemas are written: one type, or
// any of several.
func learntSchema(families map[string]*kin, s *answers.Shape) object {
	if s == nil {
		return object{}
	}
	var alternatives []object
	for _, t := range s.Types {
		one := object{"type": t}
		switch t {
		case "object":
			one = members(families, s)
			if f := families[kinship(s)]; f != nil && f.name != "" {
				one = object{"$ref": "#/components/schemas/" + f.name}
			}
			if s.Ref != "" {
				one = object{"$ref": s.Ref}
			}
		case "array":
			one["items"] = learntSchema(families, s.Items)
		}
		alternatives = append(alternatives, one)
	}
	switch {
	case len(s.Types) == 1 && s.Types[0] == "null":
		return object{} // what else it may be was never seen
	case len(alternatives) == 1:
		return alternatives[0]
	case len(alternatives) == 0:
		return object{}
	}
	slices.SortStableFunc(alternatives, func(a, b object) int {
		null := func(o object) int {
			if o["type"] == "null" {
				return 1
			}
			return 0
		}
		return null(a) - null(b)
	})
	return object{"anyOf": alternatives}
}

func members(families map[string]*kin, s *answers.Shape) object {
	out := object{"type": "object"}
	if s.Values != nil {
		out["additionalProperties"] = learntSchema(families, s.Values)
	}
	if len(s.Members) == 0 {
		return out
	}
	properties := object{}
	for name, member := range s.Members {
		properties[name] = learntSchema(families, member)
	}
	out["properties"] = properties
	if len(s.Required) > 0 {
		out["required"] = s.Required
	}
	return out
}
