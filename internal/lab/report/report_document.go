package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/conduct"
	"stoa.dev/stoa/internal/platform/journal"
)

// Format is a form of the report.
type Format string

// The forms of the control API.
const (
	JSON  Format = "json"
	Text  Format = "text"
	HTML  Format = "html"
	JUnit Format = "junit"
	SARIF Format = "sarif"
)

// Formats are all forms.
func Formats() []Format { return []Format{JSON, Text, HTML, JUnit, SARIF} }

// ParseFormat reads the name of a form; empty is JSON.
func ParseFormat(text string) (Format, bool) {
	if text == "" {
		return JSON, true
	}
	return Format(text), slices.Contains(Formats(), Format(text))
}

// FormatOf is the form that a file's extension names.
func FormatOf(file string) (Format, error) {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".txt":
		return Text, nil
	case ".json":
		return JSON, nil
	case ".html", ".htm":
		return HTML, nil
	case ".xml":
		return JUnit, nil
	case ".sarif":
		return SARIF, nil
	}
	return "", fmt.Errorf("%s: the extension is not .txt, .json, .html, .xml (JUnit) or .sarif", file)
}

// MediaType is that of the form.
func (f Format) MediaType() string {
	return map[Format]string{
		JSON: "application/json; charset=utf-8", Text: "text/plain; charset=utf-8", HTML: "text/html; charset=utf-8",
		JUnit: "application/xml; charset=utf-8", SARIF: "application/sarif+json",
	}[f]
}

// Document is a report and what it is about.
type Document struct {
	World  string
	Report *conduct.Report
	Rules  []conduct.Stated
	// Journal has the requests that findings name, as far as they are still kept.
	Journal *journal.Journal
	// Version is the program's.
	Version string
}

// Write writes the document in a form.
func (d Document) Write(w io.Writer, f Format) error {
	switch f {
	case JSON:
		return d.writeJSON(w)
	case Text:
		return d.writeText(w)
	case HTML:
		return d.writeHTML(w)
	case JUnit:
		return d.writeJUnit(w)
	case SARIF:
		return d.writeSARIF(w)
	}
	return fmt.Errorf("there is no form %q", f)
}

// evidence is a request as a report shows it.
type evidence struct {
	ID, At, Line, Operation, Caller, Fault string

	Status int
}

// evidence are the requests of a finding. Those that the journal has let go have a
// number alone.
func (d Document) evidence(f conduct.Finding) []evidence {
	var list []evidence
	for _, number := range f.Requests {
		e := evidence{ID: strconv.FormatUint(number, 10)}
		if r := d.Journal.Get(number); r != nil {
			e.At, e.Status, e.Operation = r.At.UTC().Format(time.RFC3339), r.Status, r.Operation
			e.Caller, e.Fault = r.Caller(), r.Fault()
			e.Line = r.Method + " " + r.Path()
			if q := r.Query(); q != "" {
				e.Line += "?" + q
			}
		}
		list = append(list, e)
	}
	return list
}

// counts are how many findings there are of each severity, the worst first.
func (d Document) counts() string {
	var words []string
	for _, s := range []conduct.Severity{conduct.Error, conduct.Warning, conduct.Info} {
		n := 0
		for _, f := range d.Report.Findings {
			if f.Rule.Severity == s {
				n++
			}
		}
		if n > 0 {
			words = append(words, plural(n, s.String()))
		}
	}
	if len(words) == 0 {
		return "nothing to say"
	}
	return strings.Join(words, ", ")
}

func plural(n int, word string) string {
	if n == 1 || word == conduct.Info.String() {
		return fmt.Sprintf("%d %s", n, word)
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// asked counts requests in words.
func asked(n int) string {
	if n == 1 {
		return "1 request"
	}
	return strconv.Itoa(n) + " requests"
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}
