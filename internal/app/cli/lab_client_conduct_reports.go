package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/app/cli/columns"
	"stoa.dev/stoa/internal/app/cli/inputfile"
	"stoa.dev/stoa/internal/app/cli/labclient"
	"stoa.dev/stoa/internal/app/cli/output"
	"stoa.dev/stoa/internal/app/settings"
	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/lab/report"
	"stoa.dev/stoa/internal/platform/conduct"
	"stoa.dev/stoa/internal/platform/module"
)

// conductFlags say what is done with the report.
type conductFlags struct {
	format, failOn, silences string
}

func (p *Program) conduct() *cobra.Command {
	var f conductFlags
	c := &cobra.Command{
		Use: "conduct [WORLD]", Short: "Judge the clients of a world by what they asked",
		Long: "Compare the requests of a world with what its services ask of their clients, and say what a\n" +
			"well-behaved client would have done differently. Without WORLD, list the rules.\n\n" +
			"    stoa conduct first --format html > conduct.html\n" +
			"    stoa conduct first --fail-on warning",
		Args: arguments.Optional("WORLD"),
	}
	flags := c.Flags()
	flags.StringVar(&f.format, "format", "", "`form` of the report: text (the default), json, html, junit or sarif")
	flags.StringVar(&f.failOn, "fail-on", "", "fail on findings of this `severity` or above: error, warning or info")
	flags.StringVar(&f.silences, "silence", "",
		"YAML `file` with rules that are not held against the client; see docs/conduct.md")
	c.RunE = func(c *cobra.Command, args []string) error {
		client, err := p.dialLab(c.Context())
		if err != nil {
			return err
		}
		if len(args) == 0 && arguments.OtherFlags(c, "") {
			return module.Fail(module.Usage, "see stoa conduct --help", "WORLD is missing")
		}
		if len(args) == 0 {
			answer, err := client.Call(c.Context(), http.MethodGet, "/conduct/rules", nil)
			return errors.Join(err, p.printUnless(err, answer))
		}
		query, least, err := f.read(p.json)
		if err != nil {
			return err
		}
		path := worldPath(args[0]) + "/conduct?"
		if err := p.copyReport(c, client, path+query.Encode()); err != nil || f.failOn == "" {
			return err
		}
		query.Set("format", string(report.JSON))
		answer, err := client.Call(c.Context(), http.MethodGet, path+query.Encode(), nil)
		if err != nil {
			return err
		}
		return judge(answer, least)
	}
	return c
}

// copyReport writes a report to standard output.
func (p *Program) copyReport(c *cobra.Command, client *labclient.Client, path string) (err error) {
	response, err := client.Send(c.Context(), http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	look := output.To(p.Stdout, p.Environ)
	if look.Width == 0 {
		_, err = io.Copy(p.Stdout, response.Body)
		return err
	}
	text, err := io.ReadAll(response.Body)
	if err == nil {
		_, err = io.WriteString(p.Stdout, columns.Paragraph(string(text), look.Width))
	}
	return err
}

// read is the query of the call, and the severity that fails.
func (f conductFlags) read(asJSON bool) (url.Values, conduct.Severity, error) {
	query := url.Values{"format": {string(report.Text)}}
	switch {
	case asJSON && f.format != "" && f.format != string(report.JSON):
		return nil, 0, module.Fail(module.Usage, "leave out --json", "the report is of the form %s, not JSON", f.format)
	case f.format != "":
		query.Set("format", f.format)
	case asJSON:
		query.Set("format", string(report.JSON))
	}
	silences, err := readSilences(f.silences)
	if err != nil {
		return nil, 0, err
	}
	for _, s := range silences {
		query.Add("silence", s.Rule+"="+s.Reason)
	}
	least, err := leastSeverity(f.failOn)
	return query, least, err
}

// leastSeverity reads --fail-on; without it nothing fails.
func leastSeverity(text string) (conduct.Severity, error) {
	if text == "" {
		return conduct.Error + 1, nil
	}
	least, err := conduct.ParseSeverity(text)
	if err != nil {
		return 0, module.Fail(module.Usage, "give --fail-on error, warning or info", "--fail-on: %w", err)
	}
	return least, nil
}

// readSilences reads a file of silences; none without a name.
func readSilences(file string) ([]conduct.Silence, error) {
	if file == "" {
		return nil, nil
	}
	text, err := inputfile.Read(file, "name a file with rules and reasons below silence:")
	if err != nil {
		return nil, err
	}
	documents, err := settings.Documents("silence", file, text)
	if err != nil {
		return nil, module.Fail(module.Usage, "stoa conduct --help says how it is used", "%w", err)
	}
	var list []conduct.Silence
	for _, document := range documents {
		var s conduct.Silence
		d := json.NewDecoder(bytes.NewReader(document))
		d.DisallowUnknownFields()
		if err := d.Decode(&s); err != nil {
			return nil, module.Fail(module.Usage, "each entry has rule and reason; see docs/conduct.md", "%s: %w", file, err)
		}
		list = append(list, s)
	}
	return list, nil
}

// judge fails where a finding is grave enough.
func judge(answer json.RawMessage, least conduct.Severity) error {
	var v report.Verdict
	if err := json.Unmarshal(answer, &v); err != nil {
		return err
	}
	grave := slices.ContainsFunc(v.Findings, func(f report.FindingJSON) bool {
		s, err := conduct.ParseSeverity(f.Severity)
		return err == nil && s >= least
	})
	if !grave {
		return nil
	}
	return module.Fail(module.Failed, "the report says what a well-behaved client does",
		"a rule of severity %s or above was broken", least)
}

// execReports are the flags of exec about the client's conduct.
type execReports struct {
	files            []string
	failOn, silences string

	formats []report.Format
	least   conduct.Severity
	list    []conduct.Silence
}

// check reads the flags before anything is started.
func (e *execReports) check(rules []conduct.Stated) (err error) {
	for _, file := range e.files {
		format, err := report.FormatOf(file)
		if err != nil {
			return module.Fail(module.Usage, "name a file such as conduct.html", "--report: %w", err)
		}
		e.formats = append(e.formats, format)
	}
	if e.least, err = leastSeverity(e.failOn); err != nil {
		return err
	}
	if e.list, err = readSilences(e.silences); err != nil {
		return err
	}
	if err := (&conduct.Report{}).Silence(rules, e.list); err != nil {
		return module.Fail(module.Usage, "stoa conduct lists the rules", "%s: %w", e.silences, err)
	}
	return nil
}

// writeReports writes the reports of a world and fails where a finding is grave enough.
func (p *Program) writeReports(e execReports, w *lab.World) error {
	if len(e.files) == 0 && e.failOn == "" {
		return nil
	}
	document, err := w.Conduct(p.Version, e.list)
	if err != nil {
		return err
	}
	for i, file := range e.files {
		var out bytes.Buffer
		if err := document.Write(&out, e.formats[i]); err != nil {
			return err
		}
		if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
			return module.Fail(module.Failed, "name a file in a folder that is there", "--report: %w", err)
		}
	}
	if !document.Report.Reaches(e.least) {
		return nil
	}
	if len(e.files) == 0 {
		if err := document.Write(p.Stderr, report.Text); err != nil {
			return err
		}
	}
	return &exitError{code: module.Failed.ExitCode(), cause: fmt.Errorf(
		"the command broke a rule of severity %s or above", e.least)}
}
