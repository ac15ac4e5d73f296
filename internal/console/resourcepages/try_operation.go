package resourcepages

import (
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// Tried is the answer to a form of the API reference. Bytes is the length of a body that is no text.
type Tried struct {
	Status int               `json:"status"`
	Header map[string]string `json:"header"`
	Text   string            `json:"text"`
	Bytes  int               `json:"bytes,omitempty"`
}

// Try sends what a form of the API reference describes to its service, as the user of the visit.
func (p *Pages) Try(v Visit) (Tried, error) {
	name := v.Request.PathValue("service")
	n := slices.IndexFunc(p.o.Modules, func(m module.Module) bool { return m.Name == name && m.Handler != nil })
	if n < 0 {
		return Tried{}, route.ErrNoRoute
	}
	target, err := url.ParseRequestURI(v.Values.Get("target"))
	if err != nil || target.IsAbs() || target.Host != "" {
		return Tried{}, &wire.SyntaxError{Reason: "target must be a path of this server"}
	}
	method := v.Values.Get("method")
	if !slices.Contains(triedMethods(), method) {
		return Tried{}, &wire.SyntaxError{Reason: "method must be one of " + strings.Join(triedMethods(), ", ")}
	}
	a, err := p.sendWith(v, p.o.Modules[n], sent{
		method: method, target: target.RequestURI(), header: triedHeader(v.Values), body: []byte(v.Values.Get("body")),
	})
	return tried(a), err
}

func triedMethods() []string { return []string{"DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"} }

// triedHeader are the lines of the form. Those that say who asks, or how long the body is, are this server's to say.
func triedHeader(values url.Values) http.Header {
	out := http.Header{}
	for line := range strings.Lines(values.Get("headers")) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		name = textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name))
		if ok && !slices.Contains([]string{"Authorization", "Connection", "Content-Length", "Cookie", "Host"}, name) {
			out.Set(name, strings.TrimSpace(value))
		}
	}
	if kind := values.Get("kind"); kind != "" {
		out.Set("Content-Type", kind)
	}
	return out
}

func tried(a answer) Tried {
	out := Tried{Status: a.Status, Header: map[string]string{}, Text: a.Text}
	for name := range a.Header {
		if name != "Set-Cookie" {
			out.Header[name] = a.Header.Get(name)
		}
	}
	if !utf8.ValidString(a.Text) {
		out.Text, out.Bytes = "", len(a.Text)
	}
	return out
}
