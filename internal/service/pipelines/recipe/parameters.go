package recipe

import (
	"maps"
	"slices"
)

// stepList is the value of a parameter of type steps: what is written means
// what it means where it is written.
type stepList struct {
	node  *node
	scope scope
}

// executorUse is the value of a parameter of type executor that gives the
// executor parameters of its own.
type executorUse struct {
	node  *node
	scope scope
}

// otherwise is the default, as it is meant in the scope of a use: of the
// surrounding parameters it knows none.
func (p parameter) otherwise(s scope) any {
	switch v := p.fallback.(type) {
	case stepList:
		return stepList{node: v.node, scope: s.within(p.home, nil)}
	case executorUse:
		return executorUse{node: v.node, scope: s.within(p.home, nil)}
	}
	return p.fallback
}

// parameter is a declaration under parameters.
type parameter struct {
	name     string
	at       *node
	kind     string
	choices  []string
	fallback any
	required bool
	home     *space
}

// parameterKinds are the types of parameters. steps and executor mean something for jobs and commands
// only.
func parameterKinds() []string {
	return []string{"string", "boolean", "integer", "enum", "steps", "executor", "env_var_name"}
}

// maxParameters bounds the parameters of a job, a command or the pipeline.
const maxParameters = 200

// parameters reads declarations; a missing section declares none.
func parameters(n *node, home *space) ([]parameter, error) {
	if n == nil || (n.kind == scalar && n.value == nil) {
		return nil, nil
	}
	if n.kind != mapping {
		return nil, n.errorf("parameters must be a map of names, this is %s", n.what())
	}
	if len(n.entries) > maxParameters {
		return nil, n.errorf("%d parameters, at most %d", len(n.entries), maxParameters)
	}
	var out []parameter
	for _, e := range n.entries {
		f := open(e.node, scope{}, "the parameter "+e.key)
		p := parameter{name: e.key, at: e.at, home: home, kind: f.need("type")}
		f.text("description")
		p.choices = f.strings("enum")
		fallback := f.take("default")
		if err := f.close(); err != nil {
			return nil, err
		}
		if !slices.Contains(parameterKinds(), p.kind) {
			return nil, e.node.errorf("the type %q is unknown; known are %s", p.kind, list(parameterKinds()))
		}
		if p.kind == "enum" && len(p.choices) == 0 {
			return nil, e.node.errorf("a parameter of type enum lists its values under enum")
		}
		p.required = fallback == nil
		if fallback != nil {
			v, err := p.value(fallback, scope{})
			if err != nil {
				return nil, err
			}
			p.fallback = v
		}
		out = append(out, p)
	}
	return out, nil
}

// value reads an argument written in the file.
func (p parameter) value(n *node, s scope) (any, error) {
	if p.kind == "steps" {
		if n.kind == scalar && n.value != nil {
			v, err := s.expand(n)
			if err != nil {
				return nil, err
			}
			if steps, ok := v.(stepList); ok {
				return steps, nil
			}
		}
		if n.kind != sequence {
			return nil, n.errorf("the parameter %s takes a list of steps, this is %s", p.name, n.what())
		}
		return stepList{node: n, scope: s}, nil
	}
	if n.kind != scalar {
		if p.kind == "executor" && n.get("name") != nil {
			return executorUse{node: n, scope: s}, nil
		}
		return nil, n.errorf("the parameter %s is of type %s, this is %s", p.name, p.kind, n.what())
	}
	v, err := s.expand(n)
	if err != nil {
		return nil, err
	}
	if use, ok := v.(executorUse); ok && p.kind == "executor" {
		return use, nil
	}
	if _, isString := v.(string); !isString && v == n.value && (p.kind == "string" || p.kind == "enum") && v != nil {
		v = n.text
	}
	checked, problem := p.check(v)
	if problem != "" {
		return nil, n.errorf("%s", problem)
	}
	return checked, nil
}

// check tests a value against the declaration and says what is wrong with it.
func (p parameter) check(v any) (any, string) {
	switch p.kind {
	case "boolean":
		if b, ok := v.(bool); ok {
			return b, ""
		}
		if s, ok := v.(string); ok && (s == "true" || s == "false") {
			return s == "true", ""
		}
		return nil, "the parameter " + p.name + " must be true or false"
	case "integer":
		if i, ok := whole64(v); ok {
			return i, ""
		}
		return nil, "the parameter " + p.name + " must be a whole number"
	case "enum":
		if !slices.Contains(p.choices, plain(v)) {
			return nil, "the parameter " + p.name + " must be one of " + list(p.choices)
		}
		return plain(v), ""
	case "env_var_name":
		if !variableName(plain(v)) {
			return nil, "the parameter " + p.name + " must be the name of a variable"
		}
		return plain(v), ""
	case "steps":
		return nil, "the parameter " + p.name + " takes steps, which only the file can give"
	default:
		switch v.(type) {
		case nil, string, bool, int64, float64:
			if notText(plain(v)) >= 0 {
				return nil, "the parameter " + p.name + " holds a NUL character or bytes that are not UTF-8"
			}
			return plain(v), ""
		}
		return nil, "the parameter " + p.name + " must be text"
	}
}

// example is a value to check a declaration's body with when no default is
// given.
func (p parameter) example() any {
	switch p.kind {
	case "boolean":
		return false
	case "integer":
		return int64(1)
	case "enum":
		return p.choices[0]
	case "steps":
		return stepList{node: &node{kind: sequence}}
	default:
		return "example"
	}
}

// bind pairs declarations with the arguments at a use. Missing required ones
// are an error unless rehearse is set.
func bind(declared []parameter, use *node, given map[string]*node, s scope, rehearse bool) (map[string]any, error) {
	if len(given) > maxParameters {
		return nil, use.errorf("%d arguments, at most %d", len(given), maxParameters)
	}
	if err := s.spend(use, len(declared), 0); err != nil {
		return nil, err
	}
	out := make(map[string]any, len(declared))
	for _, p := range declared {
		n, ok := given[p.name]
		switch {
		case ok:
			v, err := p.value(n, s)
			if err != nil {
				return nil, err
			}
			out[p.name] = v
		case !p.required:
			out[p.name] = p.otherwise(s)
		case rehearse:
			out[p.name] = p.example()
		default:
			return nil, use.errorf("the parameter %s is missing and has no default", p.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.ContainsFunc(declared, func(p parameter) bool { return p.name == name }) {
			return nil, given[name].errorf("%q is neither a key of this place nor a declared parameter", name)
		}
	}
	return out, nil
}

// bindValues pairs the pipeline's parameters with those of a trigger.
func bindValues(declared []parameter, given map[string]any) (map[string]any, error) {
	out := map[string]any{}
	for _, p := range declared {
		v, ok := given[p.name]
		if !ok {
			if p.required {
				return nil, whole("the pipeline parameter %s is missing and has no default", p.name)
			}
			out[p.name] = p.fallback
			continue
		}
		checked, problem := p.check(number(v))
		if problem != "" {
			return nil, whole("%s", problem)
		}
		out[p.name] = checked
	}
	return out, nil
}

// number folds the numbers a JSON reader or a caller may bring.
func number(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case int32:
		return int64(v)
	case uint64:
		return int64(min(v, 1<<62))
	case float32:
		return float64(v)
	}
	return v
}
