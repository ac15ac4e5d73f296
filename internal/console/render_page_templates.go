package console

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"stoa.dev/stoa/internal/console/design"
	"stoa.dev/stoa/internal/console/labpages"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/address"
	"stoa.dev/stoa/internal/platform/wire"
)

//go:embed templates/*.html
var files embed.FS

// templates are the parsed pages and the assets.
type templates struct {
	*design.Assets
	pages map[string]*template.Template
}

// parsedTemplates are immutable and the same in all worlds of a process.
var parsedTemplates = sync.OnceValue(newTemplates)

// newTemplates parses what is embedded; a mistake there is a programming error
// and found by the first test.
func newTemplates() *templates {
	t := &templates{Assets: design.Load(), pages: map[string]*template.Template{}}
	functions := design.Functions()
	functions["style"] = t.StyleURL
	functions["script"] = t.ScriptURL
	functions["browser"] = browserName
	functions["row"] = func(v view, row tokenRow) rowView { return rowView{Form: v.Form, Row: row} }
	layout := template.Must(template.New("layout").Funcs(functions).ParseFS(files, "templates/layout.html"))
	for _, name := range []string{
		"message", "signin", "home", "password", "connect", "consent", "done", "tokens", "newtoken", "secret",
		"applications", "sessions", "servicepage",
	} {
		page := template.Must(layout.Clone())
		t.pages[name] = template.Must(page.ParseFS(files, "templates/"+name+".html"))
	}
	return t
}

// view is what every page gets.
type view struct {
	Title string
	// User is nil for anonymous callers.
	User *identity.User
	// Form is the token that every form of the page carries.
	Form string
	// Section is the entry of the navigation that the page belongs to.
	Section string
	// Current is the page that signing out and in again returns to.
	Current string
	Body    any

	// Wide pages are services' own; Indexed ones may be found by search engines.
	Wide, Indexed bool

	// formTarget is a further address that the page's form may lead to.
	formTarget string
	// externalImages lets the page show images from anywhere.
	externalImages bool

	// Menu is the way to all pages, for those who are signed in; such pages run the
	// console's script. Lab is what the bar of a lab's world shows.
	Menu []menuGroup
	Lab  *labpages.Bar
}

// rowView is one row of a list with the token for its form.
type rowView struct {
	Form string
	Row  tokenRow
}

// view is the page for a user who is signed in.
func (v viewer) view(title, at string, body any) view {
	return view{Title: title, User: &v.user, Form: identity.FormToken(v.secret), Section: at, Body: body}
}

// render writes a page. It is written to memory first, so that a failing
// template never leaves half a page.
func (c *Console) render(w http.ResponseWriter, r *route.Request, status int, name string, v view) error {
	if v.User != nil && v.Section != "" {
		v.Menu, v.Lab = c.menu(*v.User, v.Section), c.labBar(r, *v.User)
	}
	var out bytes.Buffer
	if err := c.templates.pages[name].ExecuteTemplate(&out, "layout", v); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Security-Policy", v.policy())
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	// Forms must still say where they come from, so not "no-referrer".
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	return wire.WriteBytes(w, r.Request, status, "text/html; charset=utf-8", address.Page(r.Context(), out.Bytes()))
}

// policy allows the style sheet, the icon and forms to this server. Browsers apply
// the policy to the redirect after a form too, so a consent page names the origin
// of the application it may lead to.
func (v view) policy() string {
	text := "default-src 'none'; style-src 'self'; form-action 'self'" + origin(v.formTarget) +
		"; frame-ancestors 'none'; base-uri 'none'; img-src 'self'"
	if v.externalImages {
		text += " https: http: data:"
	}
	if len(v.Menu) > 0 {
		text += "; script-src 'self'; connect-src 'self'"
	}
	return text
}

// origin is the source expression for a redirect address, empty for one on
// this server. Characters that could end the directive make it the scheme.
func origin(redirect string) string {
	u, err := url.Parse(redirect)
	if err != nil || u.Scheme == "" {
		return ""
	}
	unsafe := strings.ContainsFunc(u.Host, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:-[]", r)
	})
	if u.Host == "" || unsafe || (u.Scheme != "http" && u.Scheme != "https") {
		return " " + u.Scheme + ":"
	}
	return " " + u.Scheme + "://" + u.Host
}
