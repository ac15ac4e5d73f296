package resourcepages

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/console/design"
	"stoa.dev/stoa/internal/console/drawing"
	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/wire"
)

// The parameters of a list's address that are the page's own.
const (
	pageParameter = "console_page"
	doneParameter = "console_done"
	viewParameter = "console_view"
	dayParameter  = "console_day"
	// allParameter leaves out the defaults of filters.
	allParameter = "console_all"
)

// maxRows is how many rows of a list without pages one page shows.
const maxRows = resource.PageRows

// row is one thing in a list.
type row struct {
	URL   string
	Label string
	Cells []cell
}

// listBody is the page of a list.
type listBody struct {
	Crumbs   []crumb
	Resource resource.Resource
	Form     string
	Base     string
	Done     string
	// Filters are the fields of the search; Asks says that they come first.
	Filters []field
	Keep    url.Values
	Asks    bool
	Rows    []row
	Next    string
	First   string
	Actions []actionLink
	Problem string
	Answer  string
	Call    *Shown
	Views   []viewLink
	Grid    *grid
	Columns []resource.Column
	Drawing template.HTML
	Zone    string
	// Empty says that there is nothing; All is where everything is, when filters hide some.
	Empty, All string
	// Manual is the page that says what to do next; About is what it is about.
	Manual, About string
}

// List is the page of a list.
func (p *Pages) List(v Visit) (Page, error) {
	at, err := p.at(v)
	if err != nil {
		return Page{}, err
	}
	values := v.Request.Query()
	body := listBody{
		Crumbs: at.crumbs(values), Resource: at.resource, Form: v.Form, Base: at.url(), Keep: at.outer(values),
		Done: at.doneText(values), Columns: columnsOf(at.resource),
		Zone: at.zoneText(),
	}
	if body.Actions, err = p.actions(v, at, nil, false); err != nil {
		return Page{}, err
	}
	var missing bool
	body.Filters, missing = p.filters(at, values)
	body.Views = at.views(values)
	switch {
	case missing:
		body.Asks = true
		return p.render("list", at.resource.Title, body)
	case at.resource.Single:
		return p.Item(v)
	}
	query, window := p.listQuery(at, values), (*window)(nil)
	if name := values.Get(viewParameter); at.resource.Calendar != nil && name != "" {
		window = p.window(at, values)
		window.bound(at.resource.Calendar, query)
	}
	a, err := p.do(v, at.module, at.resource.List, input{values: values, query: query})
	if err != nil {
		return Page{}, err
	}
	body.Call = &a.Call
	if a.failed() {
		body.Problem, body.Answer = errorText(a), pretty(a)
		page, err := p.render("list", at.resource.Title, body)
		page.Status = statusOf(a)
		return page, err
	}
	items := itemsOf(at.resource, a)
	if window != nil {
		body.Grid = window.grid(at, values, items)
		return p.render("list", at.resource.Title, body)
	}
	if body.Problem, err = p.lookUp(v, at, items); err != nil {
		return Page{}, err
	}
	body.Drawing = draw(at.resource, a, items)
	p.turnPages(at, values, a, &items, &body)
	for _, item := range items {
		body.Rows = append(body.Rows, at.row(values, item))
	}
	body.Empty, body.All = p.emptyList(at, values)
	body.Manual, body.About = manualOf(at.module), at.module.Title
	return p.render("list", at.resource.Title, body)
}

// statusOf is the status of a page about a refused call: those that would make a
// browser do something else are not passed on.
func statusOf(a answer) int {
	switch a.Status {
	case http.StatusNotFound, http.StatusTooManyRequests, http.StatusForbidden, http.StatusConflict:
		return a.Status
	}
	if a.Status >= http.StatusInternalServerError {
		return http.StatusBadGateway
	}
	return http.StatusBadRequest
}

func itemsOf(r resource.Resource, a answer) []any {
	value, _ := wire.Lookup(a.Value, r.Items)
	items, _ := value.([]any)
	return items
}

// outer are the parameters that say what the page lies in.
func (at place) outer(values url.Values) url.Values {
	known := url.Values{}
	for _, r := range at.top() {
		if r.Name == at.resource.Name {
			break
		}
		for _, k := range r.Key {
			known.Set(k.Parameter, values.Get(k.Parameter))
		}
	}
	return known
}

// row reads a thing's columns and where its page is.
func (at place) row(values url.Values, item any) row {
	var out row
	for _, c := range columnsOf(at.resource) {
		out.Cells = append(out.Cells, at.cellOf(c, item))
	}
	if key, ok := keyOf(at.resource, item); ok {
		out.URL = withQuery(at.url()+"/item", at.self(values, key))
	}
	return out
}

// self are the parameters of a page about one thing: what it lies in, its key, and, where only its list has it, the
// part of the list that it stands in.
func (at place) self(values, key url.Values) url.Values {
	link, found := at.outer(values), at.resource.Get.None() && !at.resource.Paging.Whole()
	for _, f := range at.resource.Filters {
		if text := values.Get(f.Name); f.In == resource.InPath || found && text != "" {
			link.Set(f.Name, text)
		}
	}
	for _, name := range []string{pageParameter, allParameter} {
		if text := values.Get(name); found && text != "" {
			link.Set(name, text)
		}
	}
	for _, k := range at.resource.Key {
		link.Set(k.Parameter, key.Get(k.Parameter))
	}
	return link
}

// listQuery is what the list is asked for: filters, and the page.
func (p *Pages) listQuery(at place, values url.Values) url.Values {
	query := url.Values{}
	for _, f := range at.resource.Filters {
		text := p.filterText(at, f, values)
		if text != "" && f.In != resource.InPath {
			query.Set(f.Name, at.sentText(f, text))
		}
	}
	paging, page := at.resource.Paging, values.Get(pageParameter)
	if paging.Size != "" {
		query.Set(paging.Size, strconv.Itoa(paging.Per))
	}
	for _, name := range []string{paging.Token, paging.Number, paging.After, paging.Offset} {
		if name != "" && page != "" {
			query.Set(name, page)
		}
	}
	return query
}

// turnPages finds the address of the next page. Lists that come whole are cut here.
func (p *Pages) turnPages(at place, values url.Values, a answer, items *[]any, body *listBody) {
	next := at.nextPage(a, *items, values.Get(pageParameter))
	if at.resource.Paging.Whole() {
		number, _ := strconv.Atoi(values.Get(pageParameter)) // what is no number is the first page
		from := min(max(number-1, 0)*maxRows, len(*items))
		to := min(from+maxRows, len(*items))
		if to < len(*items) {
			next = strconv.Itoa(max(number, 1) + 1)
		}
		*items = (*items)[from:to]
	}
	here := url.Values{}
	for name := range values {
		if name != pageParameter && !strings.HasPrefix(name, doneParameter) {
			here[name] = values[name]
		}
	}
	if values.Get(pageParameter) != "" {
		body.First = withQuery(at.url(), here)
	}
	if next != "" {
		here.Set(pageParameter, next)
		body.Next = withQuery(at.url(), here)
	}
}

// filters are the fields of the search, and whether one has to be filled in first.
func (p *Pages) filters(at place, values url.Values) (fields []field, missing bool) {
	for _, f := range at.resource.Filters {
		text := p.filterText(at, f, values)
		fields = append(fields, at.newField(f, text))
		missing = missing || text == "" && (f.Required || f.In == resource.InPath)
	}
	return fields, missing
}

// doneText says what has just been done.
func (at place) doneText(values url.Values) string {
	for _, a := range at.resource.Actions {
		if a.Name == values.Get(doneParameter) {
			return cmp.Or(fillDone(a.Done, values), "“"+a.Title+"” is done.")
		}
	}
	return ""
}

// plainName is what an address may put into the sentence of what was done: names and
// numbers, so that a link cannot make the page say something else.
var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$`)

// fillDone puts the members that the address carries into the sentence; empty when one
// is missing or is no plain name.
func fillDone(text string, values url.Values) string {
	for _, name := range resource.Parameters(text) {
		value := values.Get(doneParameter + "." + name)
		if !plainName.MatchString(value) {
			return ""
		}
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}

// itemBody is the page of one thing.
type itemBody struct {
	Crumbs   []crumb
	Resource resource.Resource
	Label    string
	Form     string
	Done     string
	Cells    []cell
	Actions  []actionLink
	Inner    []crumb
	Page     string
	Answer   string
	Problem  string
	Call     *Shown
	Zone     string
	Prose    template.HTML
}

// Item is the page of one thing.
func (p *Pages) Item(v Visit) (Page, error) {
	at, err := p.at(v)
	if err != nil {
		return Page{}, err
	}
	values := v.Request.Query()
	a, item, err := p.read(v, at, values)
	if err != nil {
		return Page{}, err
	}
	body := itemBody{
		Crumbs: at.crumbs(values), Resource: at.resource, Form: v.Form, Call: &a.Call, Done: at.doneText(values),
		Label: labelOf(at.resource, values), Answer: pretty(a), Zone: at.zoneText(),
	}
	if at.resource.Single {
		body.Label = at.resource.Title
	}
	if a.failed() {
		body.Problem = errorText(a)
		if gone := at.resource.Gone; a.Status == http.StatusNotFound && !strings.Contains(body.Problem, gone) {
			body.Problem += ". " + gone
		}
		page, err := p.render("item", body.Label, body)
		page.Status = statusOf(a)
		return page, err
	}
	if value, ok := wire.Lookup(item, at.resource.Label); ok && at.resource.Label != "" && textOf(value) != "" {
		body.Label = drawing.Clip(textOf(value), 120)
	}
	for _, c := range at.resource.Columns {
		if c.Only != resource.InList {
			body.Cells = append(body.Cells, at.cellOf(c, item))
		}
	}
	if body.Actions, err = p.actions(v, at, item, true); err != nil {
		return Page{}, err
	}
	if value, _ := wire.Lookup(item, at.resource.Prose); at.resource.Prose != "" {
		body.Prose = design.Reachable(template.HTML(textOf(value))) //nolint:gosec // the service cleans it
	}
	body.Inner = at.inner(values)
	if at.resource.Page != "" {
		body.Page = fillPattern(at.resource.Page, values.Get)
	}
	page, err := p.render("item", body.Label, body)
	page.Images = body.Prose != ""
	return page, err
}

// read finds one thing: by its own call, or in the list.
func (p *Pages) read(v Visit, at place, values url.Values) (answer, any, error) {
	if at.resource.Single {
		a, err := p.do(v, at.module, at.resource.List, input{values: values, query: p.listQuery(at, values)})
		item, _ := wire.Lookup(a.Value, at.resource.Items)
		return a, item, err
	}
	if !at.resource.Get.None() {
		a, err := p.do(v, at.module, at.resource.Get, input{values: values})
		item, _ := wire.Lookup(a.Value, at.resource.Item)
		return a, item, err
	}
	return p.findInList(v, at, values)
}

// inner are the resources that lie in this one.
func (at place) inner(values url.Values) []crumb {
	var list []crumb
	link := at.self(values, values)
	for _, r := range at.module.Resources {
		if _, shown := at.byName[r.Name]; shown && r.In == at.resource.Name {
			list = append(list, crumb{r.Title, withQuery(Base+"/"+at.module.Name+"/"+r.Name, link)})
		}
	}
	return list
}

// nextPage is what a list is asked for to go on after an answer; empty when that was all.
func (at place) nextPage(a answer, items []any, page string) string {
	paging := at.resource.Paging
	number, _ := strconv.Atoi(page) // what is no number is the first page
	switch {
	case paging.Token != "":
		value, _ := wire.Lookup(a.Value, paging.Next)
		return textOf(value)
	case paging.Last != "":
		if last, ok := wire.Lookup(a.Value, paging.Last); ok && last == false {
			return strconv.Itoa(number + 1)
		}
	case paging.Offset != "":
		if len(items) >= paging.Per {
			return strconv.Itoa(number + paging.Per)
		}
	case paging.Number != "":
		if strings.Contains(a.Header.Get("Link"), `rel="next"`) {
			return strconv.Itoa(max(number, 1) + 1)
		}
	case paging.After != "":
		if n := len(items); n > 0 && n >= paging.Per {
			key, _ := keyOf(at.resource, items[n-1])
			return key.Get(at.resource.Key[len(at.resource.Key)-1].Parameter)
		}
	}
	return ""
}
