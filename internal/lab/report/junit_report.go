package report

import (
	"encoding/xml"
	"io"
	"strings"

	"stoa.dev/stoa/internal/platform/conduct"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
	Skipped *junitSkipped `xml:"skipped,omitempty"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

// writeJUnit writes a suite for each service and a test for each rule. Advice is said
// and fails nothing.
func (d Document) writeJUnit(w io.Writer) error {
	all := junitSuites{Name: "conduct"}
	for _, rule := range d.Rules {
		name := rule.Service
		if name == conduct.Everywhere {
			name = "everywhere"
		}
		if n := len(all.Suites); n == 0 || all.Suites[n-1].Name != name {
			all.Suites = append(all.Suites, junitSuite{Name: name})
		}
		suite := &all.Suites[len(all.Suites)-1]
		c := d.junitCase(rule, name)
		suite.Cases = append(suite.Cases, c)
		suite.Tests++
		all.Tests++
		if c.Failure != nil {
			suite.Failures++
			all.Failures++
		}
		if c.Skipped != nil {
			suite.Skipped++
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (d Document) junitCase(rule conduct.Stated, class string) junitCase {
	c := junitCase{Name: rule.ID, Class: "conduct." + class}
	for _, s := range d.Report.Silenced {
		if s.Rule == rule.ID && s.Finding.Count > 0 {
			c.Skipped = &junitSkipped{Message: s.Reason}
		}
	}
	for _, f := range d.Report.Findings {
		if f.Rule.ID != rule.ID {
			continue
		}
		lines := []string{f.Rule.Title, f.Rule.Why, f.Rule.Contract}
		for _, e := range d.evidence(f) {
			lines = append(lines, e.text())
		}
		text := strings.Join(lines, "\n")
		if rule.Severity == conduct.Info {
			c.Out = f.Message + "\n" + text
			continue
		}
		c.Failure = &junitFailure{Message: f.Message, Type: rule.Severity.String(), Text: text}
	}
	return c
}
