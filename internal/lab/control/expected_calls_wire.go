package control

import (
	"net/http"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/lab/expect"
	"stoa.dev/stoa/internal/platform/journal"
)

// expectJSON is an expectation as it is sent.
type expectJSON struct {
	Calls        callsJSON `json:"calls"`
	Exactly      *int      `json:"exactly"`
	AtLeast      *int      `json:"atLeast"`
	AtMost       *int      `json:"atMost"`
	NoCloserThan duration  `json:"noCloserThan"`
}

type callsJSON struct {
	Service   string            `json:"service"`
	Operation string            `json:"operation"`
	Method    string            `json:"method"`
	Path      string            `json:"path"`
	Status    statusJSON        `json:"status"`
	Caller    string            `json:"caller"`
	Header    map[string]string `json:"header"`
	Body      map[string]any    `json:"body"`
}

func (c callsJSON) filter() (f journal.Filter, err error) {
	f = journal.Filter{
		Service: c.Service, Operation: c.Operation, Method: strings.ToUpper(c.Method), Path: c.Path, Caller: c.Caller,
		Body: c.Body, Header: map[string]string{}, Clients: true,
	}
	status := strings.Trim(string(c.Status.RawMessage), `"`)
	if status == "null" {
		status = ""
	}
	if f.Status, err = readStatus(status); err != nil {
		return f, err
	}
	for name, pattern := range c.Header {
		f.Header[http.CanonicalHeaderKey(name)] = pattern
	}
	for pointer := range c.Body {
		if pointer != "" && !strings.HasPrefix(pointer, "/") {
			return f, invalid(`use a pointer such as "/title"`, "body: "+strconv.Quote(pointer)+" is not a JSON pointer")
		}
	}
	return f, nil
}

func (in expectJSON) expectation() (e expect.Expectation, err error) {
	if e.Calls, err = in.Calls.filter(); err != nil {
		return e, err
	}
	e.Exactly, e.AtLeast, e.AtMost, e.NoCloserThan = in.Exactly, in.AtLeast, in.AtMost, in.NoCloserThan.Duration
	for name, n := range map[string]*int{"exactly": in.Exactly, "atLeast": in.AtLeast, "atMost": in.AtMost} {
		if n != nil && *n < 0 {
			return e, invalid("use 0 or more", name+" is negative")
		}
	}
	switch {
	case in.Exactly != nil && (in.AtLeast != nil || in.AtMost != nil):
		return e, invalid("use one or the others", "exactly stands beside atLeast or atMost")
	case in.AtLeast != nil && in.AtMost != nil && *in.AtLeast > *in.AtMost:
		return e, invalid("swap them", "atLeast is greater than atMost")
	case in.NoCloserThan.set && in.NoCloserThan.Duration <= 0:
		return e, invalid("use a duration above 0", "noCloserThan is not above 0")
	}
	return e, nil
}

type verdictJSON struct {
	Pass    bool         `json:"pass"`
	Found   int          `json:"found"`
	Message string       `json:"message"`
	Nearest *summaryJSON `json:"nearest,omitempty"`
}

func (a *API) toVerdict(v expect.Verdict) verdictJSON {
	out := verdictJSON{Pass: v.Pass, Found: v.Found, Message: v.Message}
	if v.Nearest != nil {
		s := a.toSummary(v.Nearest)
		out.Nearest = &s
	}
	return out
}
