package resourcepages

import (
	"net/url"

	"stoa.dev/stoa/internal/console/drawing"
	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/wire"
)

// nameOf is what a thing is called, for the question whether it is to be destroyed. One
// that cannot be read is called by its key.
func (p *Pages) nameOf(v Visit, at place, values url.Values) string {
	a, item, err := p.read(v, at, values)
	if err == nil && !a.failed() && at.resource.Label != "" {
		if value, ok := wire.Lookup(item, at.resource.Label); ok && textOf(value) != "" {
			return drawing.Clip(textOf(value), 120)
		}
	}
	return labelOf(at.resource, values)
}

// beforeDelete reads what an action is about to delete, if it can be made again; nil
// where it cannot, or where there is nothing to read.
func (p *Pages) beforeDelete(v Visit, at place, action resource.Action) any {
	if action.Undo == "" {
		return nil
	}
	a, item, err := p.read(v, at, v.Request.Query())
	if err != nil || a.failed() {
		return nil
	}
	return item
}

// undoBody is the page after something was deleted that can be made again.
type undoBody struct {
	Crumbs []crumb
	Action resource.Action
	Label  string
	Form   string
	URL    string
	Back   string
	Fields []field
	// Again is the action, and Restores says that it brings the thing itself back.
	Again    resource.Action
	Restores bool
}

// showUndo offers to bring back what was deleted, or to make it again: then what it held
// travels in the form, so that nothing is kept for it.
func (p *Pages) showUndo(v Visit, at place, action resource.Action, before any) (Page, error) {
	values := v.Request.Query()
	body := undoBody{
		Crumbs: at.crumbs(values), Action: action, Label: labelOf(at.resource, values), Form: v.Form,
		URL: withQuery(at.url()+"/do/"+action.Undo, at.outer(values)), Back: withQuery(at.url(), at.outer(values)),
	}
	if value, ok := wire.Lookup(before, at.resource.Label); ok && at.resource.Label != "" {
		body.Label = drawing.Clip(textOf(value), 120)
	}
	for _, a := range at.resource.Actions {
		if a.Name != action.Undo {
			continue
		}
		body.Again, body.Restores = a, a.One
		if a.One {
			body.URL = withQuery(at.url()+"/do/"+a.Name, values)
		}
		for _, f := range a.Fields {
			body.Fields = append(body.Fields, at.newField(f, at.typedText(f, before)))
		}
	}
	return p.render("undo", "Deleted", body)
}
