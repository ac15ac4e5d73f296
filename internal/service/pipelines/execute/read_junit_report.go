package execute

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// errReport is the family of errors in the text of a report.
var errReport = errors.New("execute: bad report")

// readJUnit reads one report. Entities other than the five of XML are errors,
// so that none can grow; what is read before an error is kept.
func readJUnit(from io.Reader, source string, left *budget) ([]TestCase, error) {
	decoder := xml.NewDecoder(newSlimReader(from))
	source = cut(printable(source), maxWord)
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
			if len(open) >= maxDepth {
				return out, fmt.Errorf("%w: elements are nested deeper than %d", errReport, maxDepth)
			}
			open = append(open, t.Name.Local)
			switch t.Name.Local {
			case "testsuite":
				suite = cut(attribute(t, "name"), maxWord)
			case "testcase":
				c := newCase(t, suite, source)
				if err := left.take(1, len(c.Name)+len(c.Class)+len(c.File)+len(c.Source)); err != nil {
					return out, err
				}
				out = append(out, c)
			case "failure", "error", "skipped":
				if len(open) > 1 && open[len(open)-2] == "testcase" && len(out) > 0 {
					c := &out[len(out)-1]
					before := len(c.Message)
					judge(c, t)
					if err := left.take(0, len(c.Message)-before); err != nil {
						return out, err
					}
				}
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 1 && open[len(open)-2] == "testcase" && len(out) > 0 {
				c := &out[len(out)-1]
				before := len(c.Message)
				addMessage(c, open[len(open)-1], string(t))
				if err := left.take(0, len(c.Message)-before); err != nil {
					return out, err
				}
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
	return TestCase{
		Name: cut(attribute(t, "name"), maxWord), Class: cut(class, maxWord), File: cut(attribute(t, "file"), maxWord),
		Source: source, Result: "success", Seconds: seconds,
	}
}

// judge sets the result by the worst that a case reports.
func judge(c *TestCase, t xml.StartElement) {
	word := t.Name.Local
	if c.Result == "success" || word != "skipped" {
		c.Result = word
	}
	if m := attribute(t, "message"); m != "" && c.Message == "" {
		c.Message = cut(m, maxMessage)
	}
}

// addMessage takes the text of a failure after its message.
func addMessage(c *TestCase, element, text string) {
	if element != "failure" && element != "error" && element != "skipped" {
		return
	}
	text = strings.TrimSpace(text)
	if text == "" || len(c.Message) >= maxMessage {
		return
	}
	if c.Message != "" {
		c.Message += "\n"
	}
	c.Message = cut(c.Message+text, maxMessage)
}

// cut bounds a text. What is cut off is not kept in memory either.
func cut(s string, limit int) string {
	if len(s) > limit {
		return strings.Clone(strings.ToValidUTF8(s[:limit], ""))
	}
	return s
}
