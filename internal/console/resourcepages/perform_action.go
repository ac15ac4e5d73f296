package resourcepages

import (
	"cmp"
	"net/http"
	"net/url"

	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/wire"
)

// Do does an action, and shows what came of it.
func (p *Pages) Do(v Visit) (Page, error) {
	at, err := p.at(v)
	if err != nil {
		return Page{}, err
	}
	action, err := at.action(v)
	if err != nil {
		return Page{}, err
	}
	if action.Chat != nil {
		return p.chat(v, at, action)
	}
	unfit, err := p.addPictures(v, at, action)
	if err != nil {
		return Page{}, err
	}
	if v.Values.Has(previewField) || v.Values.Has(pictureField) {
		return p.preview(v, at, action, unfit)
	}
	values := v.Request.Query()
	in, problem, err := p.sent(v, at, action)
	if err != nil {
		return Page{}, err
	}
	problem = cmp.Or(unfit, problem)
	before := p.beforeDelete(v, at, action)
	var a answer
	if problem == "" {
		if a, err = p.do(v, at.module, action.Call, in); err != nil {
			return Page{}, err
		}
		if a.failed() {
			problem = errorText(a)
		}
	}
	if problem != "" {
		body := p.newForm(v, at, action, values)
		body.Problem = problem
		if a.Status != 0 {
			body.Answer, body.Call = pretty(a), &a.Call
		}
		for _, f := range p.fieldsOf(action, values) {
			body.Fields = append(body.Fields, at.newField(f, v.Values.Get("f:"+f.Name)))
		}
		page, err := p.render("form", action.Title, body)
		page.Status = http.StatusBadRequest
		if a.Status != 0 {
			page.Status = statusOf(a)
		}
		return page, err
	}
	if before != nil {
		return p.showUndo(v, at, action, before)
	}
	return p.finish(at, action, values, a)
}

// resultBody is the page of an answer that was wanted.
type resultBody struct {
	Crumbs  []crumb
	Action  resource.Action
	Members []cell
	Tables  []table
	Picture string
	Text    string
	Answer  string
	Back    string
	Call    *Shown
	// End is the button that ends what was begun.
	End *actionLink
}

// finish shows the answer, or goes on to the page that shows what has changed.
func (p *Pages) finish(at place, action resource.Action, values url.Values, a answer) (Page, error) {
	if action.Shows {
		body := resultBody{
			Crumbs: at.crumbs(values), Action: action, Answer: pretty(a), Back: at.back(action, values), Call: &a.Call,
		}
		body.Members, body.Tables = members(a.Value), tables(a.Value)
		if len(action.Result) > 0 {
			body.Members = nil
			for _, c := range action.Result {
				body.Members = append(body.Members, at.cellOf(c, a.Value))
			}
		}
		body.End = at.ending(action, values, a.Value)
		if value, ok := wire.Lookup(a.Value, action.Picture); ok && action.Picture != "" {
			body.Picture = textOf(value)
		}
		return p.render("result", action.Title, body)
	}
	link := at.outer(values)
	to := at.url()
	made, _ := wire.Lookup(a.Value, at.resource.Item)
	switch key, ok := keyOf(at.resource, made); {
	case action.Danger, action.Leaves:
	case action.Makes && ok:
		to += "/item"
		for name := range key {
			link.Set(name, key.Get(name))
		}
	case action.One:
		if to += "/item"; action.Then != "" {
			to = Base + "/" + at.module.Name + "/" + action.Then
		}
		link = at.self(values, values)
	case ok && !at.resource.Get.None():
		to += "/item"
		for name := range key {
			link.Set(name, key.Get(name))
		}
	}
	link.Set(doneParameter, action.Name)
	for _, name := range resource.Parameters(action.Done) {
		if value, ok := wire.Lookup(a.Value, "/"+name); ok {
			link.Set(doneParameter+"."+name, textOf(value))
		}
	}
	return Page{Redirect: withQuery(to, link)}, nil
}

// ending is the button of the action that ends what an action began, with what the
// answer says in its fields; nil for none.
func (at place) ending(action resource.Action, values url.Values, answered any) *actionLink {
	for _, a := range at.resource.Actions {
		if a.Name != action.Ends || action.Ends == "" {
			continue
		}
		link := at.outer(values)
		for _, f := range a.Fields {
			if value, ok := wire.Lookup(answered, "/"+f.Name); ok {
				link.Set(filledPrefix+f.Name, textOf(value))
			}
		}
		return &actionLink{Title: a.Title, URL: withQuery(at.url()+"/do/"+a.Name, link)}
	}
	return nil
}
