package catalog

import "strings"

// Properties are the names a Maven descriptor and its parents give to texts
// that stand elsewhere as ${name}. All definitions of a name are kept.
type Properties struct {
	values map[string][]string
}

// Add notes one definition.
func (p *Properties) Add(name, value string) {
	if p.values == nil {
		p.values = map[string][]string{}
	}
	p.values[name] = append(p.values[name], value)
}

// AddProject notes the names that every descriptor gives to its own group and
// version and to its parent's.
func (p *Properties) AddProject(group, version string) {
	for _, prefix := range []string{"", "pom.", "project.", "parent.", "pom.parent.", "project.parent."} {
		p.Add(prefix+"groupId", group)
		p.Add(prefix+"version", version)
	}
}

// maxFilled is how much text the properties of one descriptor may become;
// real ones stay far below.
const maxFilled = 4 << 20

// Bounded reports whether the texts stay in bounds when their properties are
// filled in. It counts every definition of a name, whichever of them wins, and
// spends no more on counting than it allows for filling.
func (p *Properties) Bounded(texts []string) bool {
	left := maxFilled
	for _, text := range texts {
		if strings.Contains(text, "${") && !p.spend(text, map[string]bool{}, &left) {
			return false
		}
	}
	return true
}

// spend takes the length of a text with its properties filled in off what is
// left. filling is the names on the way here; one of those stays as it is.
func (p *Properties) spend(text string, filling map[string]bool, left *int) bool {
	*left -= len(text) + 1
	for *left >= 0 {
		_, rest, found := strings.Cut(text, "${")
		name, rest, closed := strings.Cut(rest, "}")
		if !found || !closed {
			return true
		}
		text = rest
		if filling[name] {
			continue
		}
		filling[name] = true
		for _, value := range p.values[name] {
			if !p.spend(value, filling, left) {
				return false
			}
		}
		filling[name] = false
	}
	return false
}
