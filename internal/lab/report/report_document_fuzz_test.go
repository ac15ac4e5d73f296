package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"testing"

	"stoa.dev/stoa/internal/lab/report"
	"stoa.dev/stoa/internal/platform/conduct"
	"stoa.dev/stoa/internal/platform/journal"
)

// FuzzForms: whatever a client put into its requests, programs can read the report.
func FuzzForms(f *testing.F) {
	f.Add("GET /things came too soon")
	f.Add("</failure>\x00\x1b]]>&\"\xff")
	f.Fuzz(func(t *testing.T, message string) {
		rule := conduct.Stated{Service: "things", Rule: conduct.Rule{ID: "things.rule", Severity: conduct.Error}}
		found := conduct.Finding{Rule: rule, Count: 1, Message: message, Requests: []uint64{7}}
		d := report.Document{
			World: "first", Rules: []conduct.Stated{rule}, Journal: journal.New(journal.Options{}),
			Report: &conduct.Report{Findings: []conduct.Finding{found}},
		}
		for _, format := range report.Formats() {
			var out bytes.Buffer
			if err := d.Write(&out, format); err != nil {
				t.Fatalf("%s: %v", format, err)
			}
			var value any
			switch format {
			case report.JSON, report.SARIF:
				if err := json.Unmarshal(out.Bytes(), &value); err != nil {
					t.Errorf("%s: %v", format, err)
				}
			case report.JUnit:
				var suites struct {
					Failures int `xml:"failures,attr"`
				}
				if err := xml.Unmarshal(out.Bytes(), &suites); err != nil || suites.Failures != 1 {
					t.Errorf("%s: %d failures, %v", format, suites.Failures, err)
				}
			case report.Text, report.HTML:
			}
		}
	})
}
