package resourcetest

import (
	"errors"
	"fmt"
	"slices"

	"stoa.dev/stoa/internal/platform/resource"
)

// Called is an operation or a command as the check sees it: the parameters that it
// needs, and whether it is there.
type Called func(resource.Call) (parameters []string, ok bool)

// Check reports everything in the resources of one module that does not fit together. A nil called
// means that everything they call is there.
func Check(resources []resource.Resource, called Called) error {
	if called == nil {
		called = func(resource.Call) ([]string, bool) { return nil, true }
	}
	byName := map[string]resource.Resource{}
	var bad []error
	for _, r := range resources {
		if _, taken := byName[r.Name]; taken || r.Name == "" {
			bad = append(bad, fmt.Errorf("resource %q: the name is missing or taken", r.Name))
		}
		byName[r.Name] = r
	}
	for _, r := range resources {
		for _, err := range check(r, byName, called) {
			if err == nil {
				continue
			}
			bad = append(bad, fmt.Errorf("resource %s: %w", r.Name, err))
		}
	}
	return errors.Join(bad...)
}

func check(r resource.Resource, byName map[string]resource.Resource, called Called) (bad []error) {
	if r.Title == "" || r.One == "" || r.Empty == "" && !r.Single {
		bad = append(bad, errors.New("title, one and empty are needed"))
	}
	if r.In == "" && r.About == "" {
		bad = append(bad, errors.New("about is needed: the page of the service has a card with it"))
	}
	outer, err := outerParameters(byName, r)
	if err != nil {
		return append(bad, err)
	}
	own := map[string]bool{}
	for _, k := range r.Key {
		own[k.Parameter] = true
	}
	if len(r.Columns) == 0 {
		bad = append(bad, errors.New("it has no columns"))
	}
	bad = append(bad, covered("list", r.List, called, outer, fieldNames(r.Filters)))
	if !r.Get.None() {
		bad = append(bad, covered("get", r.Get, called, outer, own))
	}
	bad = append(bad, checkDrawing(r, called)...)
	seen := map[string]bool{}
	for _, a := range r.Actions {
		if seen[a.Name] || a.Name == "" || a.Title == "" {
			bad = append(bad, fmt.Errorf("action %q: name or title is missing or taken", a.Name))
		}
		seen[a.Name] = true
		known := []map[string]bool{outer, fieldNames(a.Fields)}
		if a.One {
			known = append(known, own)
		}
		bad = append(bad, covered("action "+a.Name, a.Call, called, known...))
		bad = append(bad, checkUndo(r, a)...)
		if a.If != nil && !a.If.Call.None() {
			bad = append(bad, covered("condition of "+a.Name, a.If.Call, called, known...))
		}
		if inner, ok := byName[a.Then]; a.Then != "" && (!ok || inner.In != r.Name || !a.One) {
			bad = append(bad, fmt.Errorf("action %s: nothing inside is called %q", a.Name, a.Then))
		}
		for _, f := range a.Fields {
			if !f.Preview.None() {
				bad = append(bad, covered("preview of "+f.Name, f.Preview, called))
			}
			if !f.Picture.None() {
				bad = append(bad, covered("picture of "+f.Name, f.Picture, called))
			}
		}
	}
	return bad
}

// checkUndo finds an undo that names no action which makes one.
func checkUndo(r resource.Resource, a resource.Action) []error {
	makes := func(other resource.Action) bool { return other.Name == a.Undo && (other.One || len(other.Fields) > 0) }
	if a.Undo == "" || a.Danger && a.One && slices.ContainsFunc(r.Actions, makes) {
		return nil
	}
	return []error{fmt.Errorf("action %s: it cannot be undone by %q", a.Name, a.Undo)}
}

// outerParameters are those that the things which a resource lies in fill.
func outerParameters(byName map[string]resource.Resource, r resource.Resource) (map[string]bool, error) {
	outer := map[string]bool{}
	for depth := 0; r.In != ""; depth++ {
		parent, ok := byName[r.In]
		if !ok || depth > len(byName) {
			return nil, fmt.Errorf("it lies in %s, which there is not", r.In)
		}
		for _, k := range parent.Key {
			outer[k.Parameter] = true
		}
		r = parent
	}
	return outer, nil
}

func fieldNames(fields []resource.Field) map[string]bool {
	names := map[string]bool{}
	for _, f := range fields {
		names[f.Name] = true
	}
	return names
}

// covered finds parameters that nothing fills.
func covered(what string, c resource.Call, called Called, known ...map[string]bool) error {
	parameters, ok := called(c)
	if !ok {
		return fmt.Errorf("%s: there is no operation %q and no command %q", what, c.Operation, c.Command)
	}
	for _, value := range c.Query {
		parameters = append(parameters, resource.Parameters(value)...)
	}
	for _, name := range parameters {
		_, filled := c.Parameters[name]
		if !filled && !slices.ContainsFunc(known, func(m map[string]bool) bool { return m[name] }) {
			return fmt.Errorf("%s: nothing fills the parameter %s", what, name)
		}
	}
	return nil
}

// checkDrawing finds a drawing without a part, and a chat without its field.
func checkDrawing(r resource.Resource, called Called) (bad []error) {
	if d := r.Drawing; d != nil && ((d.Points == nil) == (d.Needs == nil) || d.Title == "") {
		bad = append(bad, errors.New("a drawing has a title and either points or needs"))
	}
	if r.Lookup != nil {
		bad = append(bad, covered("lookup", r.Lookup.Call, called))
	}
	for _, a := range r.Actions {
		if a.Chat != nil && len(a.Fields) != 1 {
			bad = append(bad, errors.New("action "+a.Name+": a chat has one field, the message"))
		}
	}
	return bad
}
