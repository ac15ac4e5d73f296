package report

import (
	"encoding/json"
	"io"
	"strconv"

	"stoa.dev/stoa/internal/platform/conduct"
)

// Verdict is the report as the control API answers it.
type Verdict struct {
	Clean    bool           `json:"clean"`
	Findings []FindingJSON  `json:"findings"`
	Silenced []SilencedJSON `json:"silenced,omitempty"`
}

// FindingJSON is a rule that was broken.
type FindingJSON struct {
	Rule     string   `json:"rule"`
	Severity string   `json:"severity"`
	Service  string   `json:"service"`
	Count    int      `json:"count"`
	Message  string   `json:"message"`
	Contract string   `json:"contract"`
	Requests []string `json:"requests"`
}

// SilencedJSON is a rule that is not held against the client.
type SilencedJSON struct {
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// Verdict is the document as the control API answers it.
func (d Document) Verdict() Verdict {
	v := Verdict{Clean: d.Report.Clean(), Findings: []FindingJSON{}}
	for _, f := range d.Report.Findings {
		v.Findings = append(v.Findings, toFinding(f))
	}
	for _, s := range d.Report.Silenced {
		v.Silenced = append(v.Silenced, SilencedJSON{Rule: s.Rule, Reason: s.Reason, Count: s.Finding.Count})
	}
	return v
}

func toFinding(f conduct.Finding) FindingJSON {
	out := FindingJSON{
		Rule: f.Rule.ID, Severity: f.Rule.Severity.String(), Service: f.Rule.Service, Count: f.Count, Message: f.Message,
		Contract: f.Rule.Contract, Requests: []string{},
	}
	for _, number := range f.Requests {
		out.Requests = append(out.Requests, strconv.FormatUint(number, 10))
	}
	return out
}

func (d Document) writeJSON(w io.Writer) error { return encode(w, d.Verdict()) }

func encode(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(value)
}
