package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/conduct"
	"stoa.dev/stoa/internal/platform/journal"
)

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
