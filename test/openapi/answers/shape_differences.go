package answers

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Components are the named shapes of a description.
type Components map[string]*Shape

// Unknown says in which way an answer goes beyond a described shape: a member
// that it does not know, or another type. Empty means that it keeps to it.
// Absent members are no matter here.
func (c Components) Unknown(answer, described *Shape) string {
	return comparison{c, false}.differ("the answer", answer, described)
}

// Contradicts is Unknown for all answers of an operation: a member that the
// description calls required and that was absent once counts too, and an object
// that it leaves open although its members are known. Null counts not: it can be
// added to what is described.
func (c Components) Contradicts(learnt, described *Shape) string {
	return comparison{c, true}.differ("the answer", learnt, described)
}

type comparison struct {
	Components
	// learnt sides know all answers, so that less than they know is too little.
	learnt bool
}

func (c comparison) differ(at string, a, b *Shape) string {
	if b = c.resolve(b); a == nil || b.open() {
		if c.learnt && a.detailed() {
			return at + " is described as anything"
		}
		return ""
	}
	if len(b.AnyOf) > 0 {
		return c.any(at, a, b.AnyOf)
	}
	for _, t := range a.Types {
		if t == "null" && c.learnt {
			continue
		}
		if !slices.Contains(b.Types, t) && (t != "integer" || !slices.Contains(b.Types, "number")) {
			return fmt.Sprintf("%s is %s, described as %s", at, t, strings.Join(b.Types, " or "))
		}
	}
	if found := c.members(at, a, b); found != "" {
		return found
	}
	if a.Items != nil && b.Items != nil {
		return c.differ(at+"[]", a.Items, b.Items)
	}
	return ""
}

// envelope is the most members that an object has whose point is what
// one of them carries. A larger object is worth its name even if one of its
// members is left open.
const envelope = 3

func (c comparison) members(at string, a, b *Shape) string {
	if b.Members == nil && b.Values == nil {
		if c.learnt && len(a.Members) > 0 {
			return at + " is described as any object"
		}
		return ""
	}
	if a.Values != nil {
		if b.Values == nil {
			return at + " has free names, described as an object with members"
		}
		return c.differ(at+".*", a.Values, b.Values)
	}
	for _, name := range slices.Sorted(maps.Keys(a.Members)) {
		described := b.Members[name]
		if described == nil {
			described = b.Values
		}
		if described == nil {
			return fmt.Sprintf("%s has the member %s", at, name)
		}
		if len(b.Members) > envelope && c.resolve(described).open() {
			continue
		}
		if found := c.differ(at+"."+name, a.Members[name], described); found != "" {
			return found
		}
	}
	for _, name := range b.Required {
		if c.learnt && slices.Contains(a.Types, "object") && !slices.Contains(a.Required, name) {
			return fmt.Sprintf("%s lacks the member %s", at, name)
		}
	}
	return ""
}

// any finds for each type of a shape an alternative that describes it.
func (c comparison) any(at string, a *Shape, alternatives []*Shape) string {
	for _, t := range a.Types {
		if t == "null" && c.learnt {
			continue
		}
		one := *a
		one.Types = Types{t}
		problem := fmt.Sprintf("%s is %s, which none of the alternatives is", at, t)
		fits := slices.ContainsFunc(alternatives, func(b *Shape) bool {
			found := c.differ(at, &one, b)
			if found != "" && slices.Contains(c.resolve(b).Types, t) {
				problem = found
			}
			return found == ""
		})
		if !fits {
			return problem
		}
	}
	return ""
}

func (c comparison) resolve(s *Shape) *Shape {
	for s != nil && s.Ref != "" {
		s = c.Components[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	return s
}

// open shapes allow everything.
func (s *Shape) open() bool {
	return s == nil || len(s.Types) == 0 && len(s.AnyOf) == 0 && s.Members == nil
}

// detailed shapes have members, or elements that have.
func (s *Shape) detailed() bool {
	return s != nil && (len(s.Members) > 0 || s.Items.detailed() || s.Values.detailed())
}
