package report

import (
	_ "embed"
	"html/template"
	"io"
	"time"

	"stoa.dev/stoa/internal/platform/conduct"
)

//go:embed report.html
var pageText string

// page is what the template shows.
type page struct {
	World, Counts, Version string
	Clean                  bool
	Requests, Rules        int
	First, Last            string
	Findings               []pageFinding
	Silenced               []conduct.Silenced
}

type pageFinding struct {
	conduct.Finding
	Times    string
	Evidence []evidence
}

func (d Document) writeHTML(w io.Writer) error {
	t, err := template.New("report").Funcs(template.FuncMap{"times": times, "asked": asked}).Parse(pageText)
	if err != nil {
		return err
	}
	p := page{
		World: d.World, Counts: d.counts(), Clean: d.Report.Clean(), Requests: d.Report.Requests, Rules: d.Report.Rules,
		Silenced: d.Report.Silenced, Version: d.Version,
	}
	if d.Report.Requests > 0 {
		p.First, p.Last = d.Report.First.UTC().Format(time.DateTime), d.Report.Last.UTC().Format(time.DateTime)
	}
	for _, f := range d.Report.Findings {
		p.Findings = append(p.Findings, pageFinding{Finding: f, Times: times(f.Count), Evidence: d.evidence(f)})
	}
	return t.Execute(w, p)
}
