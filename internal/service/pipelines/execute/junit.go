package execute

import (
	"archive/tar"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
)

// Bounds of JUnit reports.
const (
	mostReport  = 32 << 20
	mostDepth   = 50
	mostMessage = 16 << 10
)

// storeTests reads every report below a path and hands the cases to the host.
func (n *node) storeTests(st *step) result {
	at := n.place(st.Tests.Path)
	var cases []TestCase
	code, err := n.session.pull(pack(at), st.sink, func(r io.Reader) error {
		return entries(r, func(h *tar.Header, content io.Reader) error {
			if h.Typeflag != tar.TypeReg || !strings.HasSuffix(h.Name, ".xml") {
				return nil
			}
			if h.Size > mostReport {
				st.say(fmt.Sprintf("Left out, larger than %d bytes: /%s", mostReport, h.Name))
				return nil
			}
			found, err := readJUnit(content, path.Base(h.Name), n.executor.limits.Tests-n.tests-len(cases))
			if errors.Is(err, errReport) {
				st.say(fmt.Sprintf("Left out, not a JUnit report: /%s: %v", h.Name, err))
				err = nil
			}
			cases = append(cases, found...)
			return err
		})
	})
	switch {
	case errors.Is(err, errGone):
		return n.ended()
	case err != nil:
		return n.hostResult(st, err)
	case code > 1:
		return result{outcome: Failed, code: code, reason: fmt.Sprintf("The reports could not be read: tar ended with code %d.", code)}
	}
	st.say(fmt.Sprintf("Found %d test cases.", len(cases)))
	n.tests += len(cases)
	if len(cases) == 0 {
		return result{outcome: Success}
	}
	return n.hostResult(st, n.host.Tests(n.ctx, cases))
}

// errReport is the family of errors in the text of a report.
var errReport = errors.New("execute: bad report")

// readJUnit reads one report. Entities other than the five of XML are errors,
// so that none can grow; what is read before an error is kept.
func readJUnit(from io.Reader, source string, most int) ([]TestCase, error) {
	decoder := xml.NewDecoder(from)
	var out []TestCase
	var open []string
	var suite string
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, fmt.Errorf("%w: %w", errReport, err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if len(open) >= mostDepth {
				return out, fmt.Errorf("%w: elements are nested deeper than %d", errReport, mostDepth)
			}
			open = append(open, t.Name.Local)
			switch t.Name.Local {
			case "testsuite":
				suite = attribute(t, "name")
			case "testcase":
				if len(out) >= most {
					return out, fmt.Errorf("%w: too many test cases", errBound)
				}
				out = append(out, newCase(t, suite, source))
			case "failure", "error", "skipped":
				if len(open) > 1 && open[len(open)-2] == "testcase" && len(out) > 0 {
					judge(&out[len(out)-1], t)
				}
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 1 && open[len(open)-2] == "testcase" && len(out) > 0 {
				addMessage(&out[len(out)-1], open[len(open)-1], string(t))
			}
		}
	}
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func newCase(t xml.StartElement, suite, source string) TestCase {
	class := attribute(t, "classname")
	if class == "" {
		class = suite
	}
	seconds, _ := strconv.ParseFloat(strings.ReplaceAll(attribute(t, "time"), ",", ""), 64) // 0 when it is missing
	if seconds < 0 || seconds > 1e9 || seconds != seconds {
		seconds = 0
	}
	return TestCase{Name: attribute(t, "name"), Class: class, File: attribute(t, "file"), Source: source, Result: "success", Seconds: seconds}
}

// judge sets the result by the worst that a case reports.
func judge(c *TestCase, t xml.StartElement) {
	word := t.Name.Local
	if c.Result == "success" || word != "skipped" {
		c.Result = word
	}
	if m := attribute(t, "message"); m != "" && c.Message == "" {
		c.Message = cut(m)
	}
}

// addMessage takes the text of a failure after its message.
func addMessage(c *TestCase, element, text string) {
	if element != "failure" && element != "error" && element != "skipped" {
		return
	}
	text = strings.TrimSpace(text)
	if text == "" || len(c.Message) >= mostMessage {
		return
	}
	if c.Message != "" {
		c.Message += "\n"
	}
	c.Message = cut(c.Message + text)
}

func cut(s string) string {
	if len(s) > mostMessage {
		return strings.ToValidUTF8(s[:mostMessage], "")
	}
	return s
}
