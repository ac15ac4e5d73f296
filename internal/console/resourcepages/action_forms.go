package resourcepages

import (
	"cmp"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// actionLink is a button. Direct ones need neither a value nor a question, and are sent
// from where they stand.
type actionLink struct {
	Title, URL     string
	Direct, Danger bool
	// Main is what most come to the page for.
	Main bool
}

// actions are the buttons of a page.
func (p *Pages) actions(v Visit, at place, item any, one bool) ([]actionLink, error) {
	values := v.Request.Query()
	link := at.outer(values)
	if one {
		link = at.self(values, values)
	}
	var list []actionLink
	for _, a := range at.resource.Actions {
		if a.Hidden || a.One != one && !at.resource.Single {
			continue
		}
		if one && a.If != nil {
			holds, err := p.holds(v, at, *a.If, item)
			if err != nil {
				return nil, err
			}
			if !holds {
				continue
			}
		}
		list = append(list, actionLink{
			Main: !one && len(list) == 0, Title: a.Title, URL: withQuery(at.url()+"/do/"+a.Name, link), Danger: a.Danger,
			Direct: len(a.Fields) == 0 && !a.Danger && a.Text == "" && a.Call.Command == "",
		})
	}
	return list, nil
}

// holds reports whether a condition is met by a thing.
func (p *Pages) holds(v Visit, at place, c resource.Condition, item any) (bool, error) {
	if !c.Call.None() {
		a, err := p.do(v, at.module, c.Call, input{values: v.Request.Query()})
		return a.failed() == c.Not, err
	}
	value, _ := wire.Lookup(item, c.Pointer)
	return slices.Contains(c.OneOf, textOf(value)) != c.Not, nil
}

// filledPrefix is what the names of parameters begin with that fill a form.
const filledPrefix = "console_field_"

// field is one control of a form.
type field struct {
	resource.Field
	ID      string
	Value   string
	Checked bool
	// HTML is what a service made of the value, for a preview.
	HTML template.HTML
	// Inserted says that a picture was put into the text.
	Inserted string
	// Zone is that of a time, and Seconds says that it is exact to the second.
	Zone    string
	Seconds bool
}

func (at place) newField(f resource.Field, value string) field {
	return field{
		Field: f, ID: "field-" + strings.ReplaceAll(f.Name, "/", "-"), Value: value, Checked: value == "true",
		Zone: at.zone.String(), Seconds: f.Kind == resource.Unix || len(value) > len(inputMinute),
	}
}

// action finds the action of the address.
func (at place) action(v Visit) (resource.Action, error) {
	for _, a := range at.resource.Actions {
		if a.Name == v.Request.PathValue("action") {
			return a, nil
		}
	}
	return resource.Action{}, route.ErrNoRoute
}

// formBody is the page of a form, or of a question.
type formBody struct {
	Crumbs   []crumb
	Resource resource.Resource
	Action   resource.Action
	Form     string
	URL      string
	Back     string
	Fields   []field
	Problem  string
	Answer   string
	Call     *Shown
	Template Shown
	// Label is what the thing is called that an action destroys.
	Label string
	// Previews says that a field can be looked at before it is sent.
	Previews bool
	// Pictures says that the form comes with files.
	Pictures bool
}

// fieldsOf are the fields of an action. A command says itself what it takes; what the
// page's address fills in already is left out, and so are files of the server.
func (p *Pages) fieldsOf(a resource.Action, values url.Values) []resource.Field {
	if len(a.Fields) > 0 || a.Call.Command == "" {
		return a.Fields
	}
	command, _ := p.command(a.Call.Command)
	var fields []resource.Field
	for _, arg := range command.Args {
		if values.Get(arg.Name) == "" && a.Call.Parameters[arg.Name] == "" && arg.File == module.NoFile {
			fields = append(fields, resource.Field{
				Name: arg.Name, Title: words(arg.Name), Help: arg.Help, Required: !arg.Optional,
			})
		}
	}
	for _, f := range command.Flags {
		if f.StdinFor != "" || a.Call.Parameters[f.Name] != "" {
			continue
		}
		fields = append(fields, flagField(f))
	}
	return fields
}

func flagField(f module.Flag) resource.Field {
	out := resource.Field{
		Name: f.Name, Title: words(f.Name), Help: f.Help, Required: f.Required, Options: f.OneOf, Default: f.Default,
	}
	switch {
	case len(f.OneOf) > 0:
		out.Kind = resource.Choice
	case f.Kind == module.Bool:
		out.Kind = resource.Bool
	case f.Kind == module.Texts:
		out.Kind = resource.Lines
	case strings.Contains(f.Name, "password"):
		out.Kind = resource.Secret
	}
	return out
}

// words turns "display-name" into "Display name".
func words(name string) string {
	text := strings.NewReplacer("-", " ", "_", " ").Replace(name)
	return strings.ToUpper(text[:1]) + text[1:]
}

// Form asks for the values of an action, or whether it is really wanted.
func (p *Pages) Form(v Visit) (Page, error) {
	at, err := p.at(v)
	if err != nil {
		return Page{}, err
	}
	a, err := at.action(v)
	if err != nil {
		return Page{}, err
	}
	values := v.Request.Query()
	body := p.newForm(v, at, a, values)
	var item any
	if a.Edit {
		read, found, err := p.read(v, at, values)
		if err != nil {
			return Page{}, err
		}
		if read.failed() {
			body.Problem, body.Answer = errorText(read), pretty(read)
		}
		item = found
	}
	if a.One && (a.Danger || len(a.Fields) == 0 && a.Call.Command != "") {
		body.Label = p.nameOf(v, at, values)
		if id := labelOf(at.resource, values); a.Call.Command != "" && id != body.Label {
			body.Label += " " + id // what the command on the page takes
		}
	}
	for _, f := range p.fieldsOf(a, values) {
		text := cmp.Or(values.Get(filledPrefix+f.Name), p.defaultOf(at, f))
		if a.Edit {
			text = at.typedText(f, item)
		}
		body.Fields = append(body.Fields, at.newField(f, text))
	}
	if a.Chat != nil {
		return p.render("chat", a.Title, chatBody{formBody: body})
	}
	return p.render("form", a.Title, body)
}

func (p *Pages) newForm(v Visit, at place, a resource.Action, values url.Values) formBody {
	body := formBody{
		Crumbs: at.crumbs(values), Resource: at.resource, Action: a, Form: v.Form,
		URL: withQuery(at.url()+"/do/"+a.Name, values), Back: at.back(a, values), Previews: hasPreview(a),
		Pictures: takesPictures(a),
	}
	if a.Call.Command == "" {
		for _, r := range at.module.Routes {
			if r.Name == a.Call.Operation {
				body.Template = Shown{Method: r.Method, Path: r.Pattern}
			}
		}
	} else {
		body.Template = Shown{Line: "stoa " + a.Call.Command}
	}
	return body
}

// back is the page that an action was begun on.
func (at place) back(a resource.Action, values url.Values) string {
	if !a.One {
		return withQuery(at.url(), at.outer(values))
	}
	return withQuery(at.url()+"/item", at.self(values, values))
}

// defaultOf is what a field begins with.
func (p *Pages) defaultOf(at place, f resource.Field) string {
	if word, ok := strings.CutPrefix(f.Default, "unique "); ok {
		return word + "-" + strconv.FormatInt(p.o.Clock.Now().UnixMilli(), 36)
	}
	rest, ok := strings.CutPrefix(f.Default, "now")
	if !ok {
		return f.Default
	}
	d, _ := time.ParseDuration(rest) // an empty one is now itself
	from := p.o.Clock.Now().In(at.zone).Add(d)
	if f.Kind == resource.Time && rest != "" {
		// A second is not meant.
		from = time.Date(from.Year(), from.Month(), from.Day(), from.Hour(), 0, 0, 0, at.zone)
	}
	return inputText(from)
}
