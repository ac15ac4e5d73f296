package grammar

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// object gives an object with known members, or a map.
func (b *builder) object(s map[string]any, path string, depth int) (string, error) {
	from, to, err := span(s, "minProperties", "maxProperties", path)
	if err != nil {
		return "", err
	}
	properties, _ := s["properties"].(map[string]any)
	var required []string
	list, _ := s["required"].([]any)
	listed, _ := s["propertyOrdering"].([]any)
	if n := max(len(properties), len(list), len(listed)); n > maxMembers {
		return "", &Error{path, fmt.Sprintf(
			"an object has %d members, a model can be held to at most %d", n, maxMembers)}
	}
	if err := b.step(len(properties)+len(list)+len(listed), path); err != nil {
		return "", err
	}
	for _, v := range list {
		name, ok := v.(string)
		if !ok {
			return "", &Error{join(path, "required"), "is not a list of texts"}
		}
		if !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	if len(properties) == 0 && len(required) == 0 {
		return b.free(s, from, to, path, depth)
	}
	members, err := b.members(s, properties, required, path, depth)
	if err != nil {
		return "", err
	}
	if members, err = fit(members, from, to, path); err != nil {
		return "", err
	}
	return b.chain(members)
}

// free is an object of any members, or of members with one schema.
func (b *builder) free(s map[string]any, from, to int, path string, depth int) (string, error) {
	value := "value"
	switch extra, there := s["additionalProperties"]; {
	case there && extra == false:
		to = 0
	case there:
		var err error
		if value, err = b.named(extra, join(path, "additionalProperties"), depth); err != nil {
			return "", err
		}
	}
	if to == 0 {
		if from > 0 {
			return "", &Error{join(path, "minProperties"), "there is no member the object may have"}
		}
		return b.rule(`"{" ws "}"`)
	}
	member, err := b.rule(`string ws ":" ws ` + value)
	if err != nil {
		return "", err
	}
	// Two members of one name would count as one, so a lower bound of more than
	// one cannot be kept.
	switch {
	case from > 1:
		return "", &Error{join(path, "minProperties"), "a model can be held to at most 1 without named properties"}
	case from == 0:
		return b.rule(`"{" ws (` + member + " " + repeat(`(ws "," ws `+member+`)`, 0, max(to-1, -1)) + `)? ws "}"`)
	}
	return b.rule(`"{" ws ` + member + " " + repeat(`(ws "," ws `+member+`)`, 0, max(to-1, -1)) + ` ws "}"`)
}

// part is one member with its name.
type part struct {
	rule     string
	required bool
}

// members are the named members in the order they are said.
func (b *builder) members(s, properties map[string]any, required []string, path string, depth int) ([]part, error) {
	var order []string
	listed, _ := s["propertyOrdering"].([]any)
	for _, v := range listed {
		name, _ := v.(string)
		if _, known := properties[name]; known && !slices.Contains(order, name) {
			order = append(order, name)
		}
	}
	for _, name := range append(slices.Sorted(maps.Keys(properties)), required...) {
		if !slices.Contains(order, name) {
			order = append(order, name)
		}
	}
	var out []part
	for _, name := range order {
		schema, known := properties[name]
		if !known && s["additionalProperties"] == false {
			return nil, &Error{join(path, "required"), fmt.Sprintf("%q is required and not allowed", name)}
		}
		if !known {
			schema = s["additionalProperties"]
		}
		must := slices.Contains(required, name)
		if schema == false {
			if must {
				return nil, &Error{join(path, "properties."+name), "is required and not allowed"}
			}
			continue
		}
		body, err := b.named(schema, join(path, "properties."+name), depth)
		if err != nil {
			return nil, err
		}
		rule, err := b.rule(literal(mustJSON(name)) + ` ws ":" ws ` + body)
		if err != nil {
			return nil, err
		}
		out = append(out, part{rule, must})
	}
	return out, nil
}

// fit keeps the bounds on the number of members: the first of the optional ones
// become required, the last ones are left out.
func fit(members []part, from, to int, path string) ([]part, error) {
	must := 0
	for _, m := range members {
		if m.required {
			must++
		}
	}
	if to >= 0 && must > to || from > len(members) {
		return nil, &Error{path, "minProperties and maxProperties do not fit the properties"}
	}
	var out []part
	optional := 0
	for _, m := range members {
		if !m.required {
			if to >= 0 && must+optional >= to {
				continue
			}
			optional++
			m.required = must+optional <= from
		}
		out = append(out, m)
	}
	return out, nil
}

// chain writes the members one after another. Of each place there are two
// rules: one for when nothing was said yet, one for when a comma is needed.
func (b *builder) chain(members []part) (string, error) {
	first, rest := `""`, `""`
	for i := len(members) - 1; i >= 0; i-- {
		m := members[i]
		say := strings.TrimSpace(m.rule + " " + plain(rest))
		next := `ws "," ws ` + m.rule
		if m.required {
			first, rest = say, strings.TrimSpace(next+" "+plain(rest))
		} else {
			first, rest = say+" | "+first, strings.TrimSpace(`(`+next+`)? `+plain(rest))
		}
		var err error
		if first, err = b.rule(first); err != nil {
			return "", err
		}
		if rest, err = b.rule(rest); err != nil {
			return "", err
		}
	}
	return b.rule(strings.Join(strings.Fields(`"{" ws `+plain(first)+` ws "}"`), " "))
}

// plain leaves out the empty text.
func plain(rule string) string {
	if rule == `""` {
		return ""
	}
	return rule
}
