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
	"stoa.dev/stoa/internal/platform/wire"
)

//go:embed templates/*.html assets/*
var files embed.FS

// looks are the parsed templates.
type looks struct {
	pages map[string]*template.Template
	// samples are what forms begin with, by service, where no page prints it.
	samples map[string]sample
}

// newLooks parses what is embedded; a mistake there is a programming error and
// found by the first test.
func newLooks(style string) *looks {
	l := &looks{pages: map[string]*template.Template{}}
	functions := template.FuncMap{
		"style": func() string { return style },
		"asset": func(name string) string { return "/docs/" + name + "?v=" + l.version(name) },
	}
	layout := template.Must(template.New("layout").Funcs(functions).ParseFS(files, "templates/layout.html"))
	for _, name := range []string{"page", "reference", "failure"} {
		clone := template.Must(layout.Clone())
		l.pages[name] = template.Must(clone.ParseFS(files, "templates/"+name+".html"))
	}
	if err := json.Unmarshal(l.asset("examples.json"), &l.samples); err != nil {
		panic(err)
	}
	return l
}

func (l *looks) asset(name string) []byte {
	content, err := files.ReadFile("assets/" + name)
	if err != nil {
		panic(err)
	}
	return content
}

// version changes with the content, so that browsers may keep an asset.
func (l *looks) version(name string) string {
	sum := sha256.Sum256(l.asset(name))
	return hex.EncodeToString(sum[:6])
}

// view is what every page gets.
type view struct {
	Title, Here string
	Contents    []section
	Parts       []part
	Text        template.HTML
	// Reference is the address of the service's reference, if it has one.
	Reference string
	Body      any

	script bool
}

// render writes a page, to memory first: a failing template never leaves half
// a page.
func (m *Manual) render(w http.ResponseWriter, r *route.Request, status int, name string, v view) error {
	var out bytes.Buffer
	if err := m.looks.pages[name].ExecuteTemplate(&out, "layout", v); err != nil {
		return err
	}
	policy := "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
	if v.script {
		policy += "; script-src 'self'; connect-src 'self'"
	}
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache")
	return wire.WriteBytes(w, r.Request, status, "text/html; charset=utf-8", out.Bytes())
}
