package resourcepages

import (
	"html/template"
	"net/http"
	"slices"

	"stoa.dev/stoa/internal/console/design"
	"stoa.dev/stoa/internal/platform/resource"
)

// previewField is the name of the button that shows a text before it is sent.
const previewField = "console_preview"

func hasPreview(a resource.Action) bool {
	return slices.ContainsFunc(a.Fields, func(f resource.Field) bool { return !f.Preview.None() })
}

// preview shows the form again with what was typed, and what the service makes of its
// texts. Nothing is stored. The service cleans the HTML as it does for its own pages,
// and the page runs no script but the console's. The problem is of a picture.
func (p *Pages) preview(v Visit, at place, a resource.Action, problem string) (Page, error) {
	values := v.Request.Query()
	body := p.newForm(v, at, a, values)
	body.Problem = problem
	for _, f := range p.fieldsOf(a, values) {
		typed := at.newField(f, v.Values.Get("f:"+f.Name))
		if problem == "" && len(v.Files[picturePart+f.Name]) > 0 {
			typed.Inserted = "The picture is at the end of the text, and below in the preview."
		}
		if !f.Preview.None() && typed.Value != "" {
			made, err := p.do(v, at.module, f.Preview, input{
				values: values, body: map[string]any{f.PreviewMember: typed.Value},
			})
			switch {
			case err != nil:
				return Page{}, err
			case made.failed():
				body.Problem = f.Title + ": " + errorText(made)
			default:
				typed.HTML = design.Reachable(template.HTML(made.Text)) //nolint:gosec // the service cleans it
			}
		}
		body.Fields = append(body.Fields, typed)
	}
	page, err := p.render("form", a.Title, body)
	page.Images = true
	if problem != "" {
		page.Status = http.StatusBadRequest
	}
	return page, err
}
