package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
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
