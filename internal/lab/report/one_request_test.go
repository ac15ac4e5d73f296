package report_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/lab/report"
	"stoa.dev/stoa/internal/platform/conduct"
)

// TestOneRequest: one request is counted in the singular in the text and in the page.
func TestOneRequest(t *testing.T) {
	t.Parallel()
	for _, form := range []report.Format{report.Text, report.HTML} {
		var out strings.Builder
		d := report.Document{World: "w", Report: &conduct.Report{Requests: 1}}
		if err := d.Write(&out, form); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "1 request ") || strings.Contains(out.String(), "1 requests") {
			t.Errorf("%s: %s", form, out.String())
		}
	}
}
