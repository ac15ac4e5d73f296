package resourcepages

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
	"stoa.dev/stoa/internal/platform/route/credential"
)

// maxAnswer is how much of an answer a page can show.
const maxAnswer = 2 << 20

// input is what a call is made with: values of parameters, further ones of the query,
// and the body.
type input struct {
	values url.Values
	query  url.Values
	body   any
	// files are contents of files for arguments of a command that name one.
	files map[string]string
}

// answer is what a call gave, and how the same call is made elsewhere.
type answer struct {
	Status int
	Header http.Header
	Value  any
	Text   string
	Call   Shown
}

// failed reports whether the call was refused.
func (a answer) failed() bool { return a.Status >= http.StatusBadRequest }

// Shown is a call as the page shows it.
type Shown struct {
	// Method and Path are of the request, Body its body laid out; Line is the same as a
	// command for the shell.
	Method, Path, Body, Line string
}

// do makes a call as the user of the visit.
func (p *Pages) do(v Visit, m module.Module, c resource.Call, in input) (answer, error) {
	if c.Command != "" {
		return p.run(v, c, in)
	}
	n := slices.IndexFunc(m.Routes, func(r route.Route) bool { return r.Name == c.Operation })
	if n < 0 || m.Handler == nil {
		return answer{}, fmt.Errorf("console: %s has no operation %s", m.Name, c.Operation)
	}
	r := m.Routes[n]
	target := fillPattern(r.Pattern, func(name string) string {
		if value, ok := c.Parameters[name]; ok {
			return value
		}
		return in.values.Get(name)
	})
	query := url.Values{}
	for name, value := range c.Query {
		if filled := resource.Parameters(value); len(filled) == 1 {
			value = in.values.Get(filled[0])
		}
		query.Set(name, value)
	}
	for name, values := range in.query {
		query[name] = values
	}
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	var body []byte
	if in.body != nil {
		var err error
		if body, err = json.Marshal(in.body); err != nil {
			return answer{}, err
		}
	}
	a, err := p.send(v, m, r.Method, target, body)
	a.Call = p.shown(v, m, r, target, body)
	return a, err
}

// send asks the service's handler with a body of JSON, as a request of the user.
func (p *Pages) send(v Visit, m module.Module, method, target string, body []byte) (a answer, err error) {
	return p.sendAs(v, m, method, target, "application/json", body)
}

// sendAs is send with a body of any type.
func (p *Pages) sendAs(
	v Visit, m module.Module, method, target, mediaType string, body []byte,
) (a answer, err error) {
	header := http.Header{"Accept": {"application/json"}}
	if len(body) > 0 {
		header.Set("Content-Type", mediaType)
	}
	return p.sendWith(v, m, sent{method, target, header, body})
}

// sent is a request for a service's handler.
type sent struct {
	method, target string
	header         http.Header
	body           []byte
}

// sendWith is send with a header of its own.
func (p *Pages) sendWith(v Visit, m module.Module, s sent) (a answer, err error) {
	outer := v.Request
	secret := p.o.Credential(v.User, m.Name)
	ctx := credential.With(outer.Context(), credential.Credential{Style: "bearer", Value: secret, Second: secret})
	r, err := http.NewRequestWithContext(ctx, s.method, s.target, bytes.NewReader(s.body))
	if err != nil {
		return a, err
	}
	r.Host, r.TLS, r.RequestURI = outer.Host, outer.TLS, s.target
	clientaddr.Copy(r, outer.Request)
	r.Header = s.header
	r.Header.Set("User-Agent", "stoa-console")
	if len(s.body) == 0 {
		r.Body = http.NoBody
	}
	w := &recorder{header: http.Header{}}
	defer func() {
		if recover() != nil {
			// The handler wanted the connection cut, as a fault of the lab does.
			a, err = answer{Status: http.StatusBadGateway, Text: "The connection was cut before the answer was whole."}, nil
		}
	}()
	m.Handler.ServeHTTP(w, r)
	if w.full {
		return answer{Status: http.StatusBadGateway, Text: "The answer is too large to be shown here."}, nil
	}
	a = answer{Status: w.status, Header: w.header, Text: w.body.String()}
	if json.Unmarshal(w.body.Bytes(), &a.Value) != nil {
		a.Value = nil
	}
	return a, nil
}

// fillPattern puts values into the wildcards of a pattern.
func fillPattern(pattern string, value func(name string) string) string {
	wild := regexp.MustCompile(`\{([a-zA-Z_0-9]+)(\.\.\.)?\}`)
	return wild.ReplaceAllStringFunc(strings.TrimSuffix(pattern, "{$}"), func(text string) string {
		name := strings.TrimSuffix(strings.Trim(text, "{}"), "...")
		escaped := url.PathEscape(value(name))
		if strings.HasSuffix(text, "...}") {
			escaped = strings.ReplaceAll(escaped, "%2F", "/")
		}
		return escaped
	})
}

// recorder keeps an answer in memory.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
	full   bool
}

// Header is that of the answer.
func (w *recorder) Header() http.Header { return w.header }

// WriteHeader keeps the first status.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
}

var errTooLarge = errors.New("the answer is too large for a page")

// Write keeps what a page can show.
func (w *recorder) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.body.Len()+len(b) > maxAnswer {
		w.full = true
		return 0, errTooLarge
	}
	return w.body.Write(b)
}

var _ io.Writer = (*recorder)(nil)

var credentialHeader = regexp.MustCompile(`-H "([A-Za-z-]+: [^"]*\$STOA_[A-Z_]+)"`)

// shown writes a request down for curl, with the credential of the service's example.
func (p *Pages) shown(v Visit, m module.Module, r route.Route, target string, body []byte) Shown {
	s := Shown{Method: r.Method, Path: target, Body: layOut(body)}
	line := "curl"
	if r.Method != http.MethodGet {
		line += " -X " + r.Method
	}
	for _, found := range credentialHeader.FindAllStringSubmatch(m.Example.Shell, -1) {
		line += ` -H "` + found[1] + `"`
	}
	if len(body) > 0 {
		line += " -H 'Content-Type: application/json' -d '" + strings.ReplaceAll(string(body), "'", `'\''`) + "'"
	}
	address := p.o.URL(v.Request.Context()) + target
	if strings.Contains(m.Example.Shell, "key=$") {
		separator := "?"
		if strings.Contains(target, "?") {
			separator = "&"
		}
		address += separator + "key=$" + m.Example.Credential
	}
	s.Line = line + ` "` + address + `"`
	return s
}

func layOut(body []byte) string {
	var out bytes.Buffer
	if len(body) == 0 || json.Indent(&out, body, "", "  ") != nil {
		return string(body)
	}
	return out.String()
}
