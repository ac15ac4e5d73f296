package control

import (
	"bytes"
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/lab/report"
	"stoa.dev/stoa/internal/platform/conduct"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// ruleJSON is one rule of the conduct report.
type ruleJSON struct {
	ID       string `json:"id"`
	Service  string `json:"service"`
	Severity string `json:"severity"`
	Title    string `json:"title"`
	Contract string `json:"contract"`
}

type rulesJSON struct {
	Rules []ruleJSON `json:"rules"`
}

// handleRules lists what services ask of their clients.
func (a *API) handleRules(w http.ResponseWriter, r *route.Request) error {
	out := rulesJSON{Rules: []ruleJSON{}}
	for _, rule := range a.lab.Rules() {
		out.Rules = append(out.Rules, ruleJSON{
			ID: rule.ID, Service: rule.Service, Severity: rule.Severity.String(), Title: rule.Title, Contract: rule.Contract,
		})
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, out)
}

// handleConduct judges the clients of a world by its requests.
func (a *API) handleConduct(w http.ResponseWriter, r *route.Request) error {
	query := r.Query()
	format, ok := report.ParseFormat(query.Get("format"))
	if !ok {
		return &lab.Error{
			Code: lab.CodeInvalid, Message: "there is no format " + query.Get("format"),
			Next: "use json, text, html, junit or sarif",
		}
	}
	var silences []conduct.Silence
	for _, text := range query["silence"] {
		rule, reason, _ := strings.Cut(text, "=")
		silences = append(silences, conduct.Silence{Rule: rule, Reason: reason})
	}
	world, err := a.world(r)
	if err != nil {
		return err
	}
	document, err := world.Conduct(a.version, silences)
	if err != nil {
		return err
	}
	if format == report.JSON {
		return wire.WriteJSON(w, r.Request, http.StatusOK, document.Verdict())
	}
	var out bytes.Buffer
	if err := document.Write(&out, format); err != nil {
		return err
	}
	w.Header().Set("Content-Type", format.MediaType())
	if format == report.HTML {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	}
	_, err = w.Write(out.Bytes())
	return err
}
