package report

import (
	"fmt"
	"io"
	"strings"
)

func (d Document) writeText(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "conduct of %s in world %s: %s\n", asked(d.Report.Requests), d.World, d.counts())
	for _, f := range d.Report.Findings {
		fmt.Fprintf(&out, "\n%s %s (%s, %s)\n", f.Rule.Severity, f.Rule.ID, f.Rule.Service, times(f.Count))
		fmt.Fprintf(&out, "  %s\n", f.Rule.Title)
		for _, part := range [][2]string{
			{"what", f.Message}, {"why", f.Rule.Why}, {"contract", f.Rule.Contract},
		} {
			fmt.Fprintf(&out, "  %-9s %s\n", part[0], part[1])
		}
		for i, e := range d.evidence(f) {
			label := ""
			if i == 0 {
				label = "requests"
			}
			fmt.Fprintf(&out, "  %-9s %s\n", label, e.text())
		}
	}
	for _, s := range d.Report.Silenced {
		if s.Finding.Count == 0 {
			fmt.Fprintf(&out, "\nsilenced %s: was kept; the silence can go (%s)\n", s.Rule, s.Reason)
			continue
		}
		fmt.Fprintf(&out, "\nsilenced %s: broken %s (%s)\n", s.Rule, times(s.Finding.Count), s.Reason)
	}
	if len(d.Report.Findings) > 0 {
		out.WriteString("\n" + rowsExplained + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// rowsExplained is about the numbers that contracts are quoted with.
const rowsExplained = "A number such as H-32 is a row of the contract: docs/conformance.md, or " +
	"/docs/conformance of any server, has them all."

// text is the request on one line.
func (e evidence) text() string {
	if e.Line == "" {
		return "#" + e.ID + " is no longer in the journal"
	}
	line := fmt.Sprintf("#%s %s %s %d", e.ID, e.At, e.Line, e.Status)
	if e.Fault != "" {
		line += " (fault " + e.Fault + ")"
	}
	return line
}
