package resourcepages

import (
	"net/url"
	"strings"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/resource"
)

// filterText is what a filter is set to: what was typed, or else its default unless
// everything is asked for.
func (p *Pages) filterText(at place, f resource.Field, values url.Values) string {
	text := values.Get(f.Name)
	if text == "" && (values.Get(allParameter) == "" || f.Required || f.In == resource.InPath) {
		text = p.defaultOf(at, f)
	}
	return text
}

// manualOf is the address of the documentation of a module; one without operations is the
// operator's.
func manualOf(m module.Module) string {
	if len(m.Routes) == 0 {
		return "/docs/operations"
	}
	return "/docs/services/" + m.Name
}

// emptyList says that a list has nothing: between which times and with which other filters,
// where there are any, and the address of the list without them.
func (p *Pages) emptyList(at place, values url.Values) (text, all string) {
	var times, others []string
	link := at.outer(values)
	for _, f := range at.resource.Filters {
		typed := p.filterText(at, f, values)
		switch {
		case typed == "":
		case f.Required || f.In == resource.InPath:
			link.Set(f.Name, typed)
		case f.Kind == resource.Time || f.Kind == resource.Unix:
			shown := typed
			if t, ok := at.parseInputTime(typed); ok {
				shown = t.In(at.zone).Format("2 January 2006 15:04")
			}
			times = append(times, strings.ToLower(f.Title)+" "+shown)
		default:
			others = append(others, strings.ToLower(f.Title)+" “"+typed+"”")
		}
	}
	if len(times)+len(others) == 0 {
		return at.resource.Empty, ""
	}
	text = "No " + strings.ToLower(at.resource.Title)
	if len(times) > 0 {
		text += " " + strings.Join(times, " ")
	}
	if len(others) > 0 {
		text += " with " + strings.Join(others, " and ")
	}
	link.Set(allParameter, "yes")
	return text + ".", withQuery(at.url(), link)
}
