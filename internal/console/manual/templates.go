package manual

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"html/template"
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/address"
	"stoa.dev/stoa/internal/platform/wire"
)

//go:embed templates/*.html assets/*
var files embed.FS

// templates are the parsed pages and the samples.
type templates struct {
	pages map[string]*template.Template
	// samples fill the forms of services whose page prints no example.
	samples map[string]sample
}

// newTemplates parses what is embedded; a mistake there is a programming error and
// found by the first test.
func newTemplates(style string) *templates {
	t := &templates{pages: map[string]*template.Template{}}
	functions := template.FuncMap{
		"style":     func() string { return style },
		"languages": func() []string { return []string{"curl", "Go", "JavaScript", "Python"} },
		"asset":     func(name string) string { return "/docs/" + name + "?v=" + t.version(name) },
	}
	layout := template.Must(template.New("layout").Funcs(functions).ParseFS(files, "templates/layout.html"))
	for _, name := range []string{"page", "reference", "failure"} {
		clone := template.Must(layout.Clone())
		t.pages[name] = template.Must(clone.ParseFS(files, "templates/"+name+".html"))
	}
	if err := json.Unmarshal(t.asset("examples.json"), &t.samples); err != nil {
		panic(err)
	}
	return t
}

func (t *templates) asset(name string) []byte {
	content, err := files.ReadFile("assets/" + name)
	if err != nil {
		panic(err)
	}
	return content
}

// version changes with the content, so that browsers may keep an asset.
func (t *templates) version(name string) string {
	sum := sha256.Sum256(t.asset(name))
	return hex.EncodeToString(sum[:6])
}

// view is what every page gets.
type view struct {
	Title, Here string
	Contents    []section
	Parts       []part
	Text        template.HTML
	// Reference is the address of the service's reference, if it has one, and Failures where those that a test can ask
	// for are listed.
	Reference, Failures string
	// File is the page's source, and Before and After the pages around it.
	File          string
	Before, After *link
	Body          any
}

// render writes a page, to memory first: a failing template never leaves half
// a page.
func (m *Manual) render(w http.ResponseWriter, r *route.Request, status int, name string, v view) error {
	var out bytes.Buffer
	if err := m.templates().pages[name].ExecuteTemplate(&out, "layout", v); err != nil {
		return err
	}
	const policy = "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; " +
		"form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache")
	return wire.WriteBytes(w, r.Request, status, "text/html; charset=utf-8", address.Page(r.Context(), out.Bytes()))
}
