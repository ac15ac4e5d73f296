package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// client is an official client as a manifest pins it.
type client struct{ kind, name, version string }

// driven is one operation as a client's tests met it.
type driven struct {
	Client  string `json:"client"`
	Service string `json:"service"`
	Route   string `json:"route"`
	Status  string `json:"status"`
}

// conduct is what the lab said about the clients of one test.
type conduct struct {
	Test     string    `json:"test"`
	Findings []finding `json:"findings"`
}

type finding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Service  string `json:"service"`
	Count    int    `json:"count"`
}

// evidence is what one folder of tests proves.
type evidence struct {
	folder  string
	clients []client
	driven  []driven
	conduct []conduct
	// passed are the tests without subtests, in the order they ended.
	passed, skipped []string
	// reasons say of rules why the clients here break them.
	reasons map[string]string
	// models are those with which the tests ran again.
	models []modelEvidence
}

// modelEvidence is what the tests of a folder prove with a pulled model.
type modelEvidence struct {
	name            string
	passed, skipped []string
}

// gather runs a folder's tests.
func gather(ctx context.Context, dir string) (evidence, error) {
	e := evidence{folder: filepath.Base(dir)}
	var err error
	if e.clients, err = clients(dir); err != nil {
		return e, err
	}
	if e.reasons, err = reasons(dir); err != nil {
		return e, err
	}
	if e.passed, e.skipped, err = e.run(ctx, dir); err != nil {
		return e, err
	}
	names, err := models(dir)
	if err != nil {
		return e, err
	}
	for _, name := range names {
		m := modelEvidence{name: name}
		if m.passed, m.skipped, err = e.run(ctx, dir, modelVariable+"="+name); err != nil {
			return e, fmt.Errorf("with the model %s: %w", name, err)
		}
		e.models = append(e.models, m)
	}
	return e, e.explained()
}

// modelVariable has every server of the tests pull a model; see package world.
const modelVariable = "STOA_SDK_MODEL"

// models reads models.txt of a folder: the models with which its tests run once more.
func models(dir string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(dir, "models.txt"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return strings.Fields(string(text)), err
}

// run runs the tests with further variables and adds what they drove.
func (e *evidence) run(ctx context.Context, dir string, env ...string) (passed, skipped []string, err error) {
	temporary, err := os.MkdirTemp("", "stoa-sdk-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(temporary)
	record := filepath.Join(temporary, "record")
	command := exec.CommandContext(ctx, "go", "test", "-json", "-count=1", "-timeout=60m", "./...")
	command.Dir, command.Env = dir, append(append(os.Environ(), "STOA_SDK_RECORD="+record), env...)
	out, failed := command.Output()
	passed, skipped = tests(out)
	if failed != nil {
		return passed, skipped, fmt.Errorf("%s: %w\n%s", e.folder, failed, said(out))
	}
	text, err := os.ReadFile(record)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return passed, skipped, err
	}
	return passed, skipped, e.read(text)
}

// read adds the lines of a record.
func (e *evidence) read(record []byte) error {
	for line := range bytes.Lines(record) {
		var d driven
		var c conduct
		if err := errors.Join(json.Unmarshal(line, &d), json.Unmarshal(line, &c)); err != nil {
			return err
		}
		if c.Test != "" {
			e.conduct = append(e.conduct, c)
			continue
		}
		if !slices.Contains(e.driven, d) && d.Service != "console" && d.Service != "manual" && d.Route != "none" &&
			d.Route != "options" {
			e.driven = append(e.driven, d)
		}
	}
	return nil
}

type event struct{ Action, Test, Output string }

// tests reads the names of the tests that have no subtests.
func tests(out []byte) (passed, skipped []string) {
	parents := map[string]bool{}
	for _, e := range events(out) {
		if i := strings.LastIndex(e.Test, "/"); i >= 0 {
			parents[e.Test[:i]] = true
		}
	}
	for _, e := range events(out) {
		if e.Test == "" || parents[e.Test] {
			continue
		}
		switch e.Action {
		case "pass":
			passed = append(passed, words(e.Test))
		case "skip":
			skipped = append(skipped, words(e.Test))
		}
	}
	return passed, skipped
}

// words is a test's name as a sentence.
func words(test string) string {
	return strings.NewReplacer("_", " ", "/", ": ").Replace(strings.TrimPrefix(test, "Test"))
}

func events(out []byte) []event {
	var list []event
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) == nil {
			list = append(list, e)
		}
	}
	return list
}

// said is what the tests printed, without the frames around it.
func said(out []byte) string {
	var b strings.Builder
	for _, e := range events(out) {
		b.WriteString(e.Output)
	}
	return b.String()
}
