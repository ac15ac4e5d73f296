package module

import (
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// Input is what the operator typed, already checked against the declaration.
type Input struct {
	Values map[string][]string
	// Given are the names of files as the operator typed them, where Values hold the
	// server's copies; nil when they are the same.
	Given map[string][]string
	// Progress reports how far long work has come; it is never nil.
	Progress func(Progress)
}

// Progress is one step of long work. A Total of zero means unknown.
type Progress struct {
	Done  int64  `json:"done"`
	Total int64  `json:"total"`
	Note  string `json:"note,omitempty"`
}

// Has reports whether the operator gave the argument or flag.
func (in *Input) Has(name string) bool { return len(in.Values[name]) > 0 }

// Text is the value of an argument or flag, empty when not given.
func (in *Input) Text(name string) string {
	if values := in.Values[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// Texts is every value of a repeated argument or flag.
func (in *Input) Texts(name string) []string { return in.Values[name] }

// Named is every value of an argument as the operator typed it: to be shown, not to be
// opened.
func (in *Input) Named(name string) []string {
	if in.Given != nil {
		return in.Given[name]
	}
	return in.Values[name]
}

// Bool is the value of a Bool flag.
func (in *Input) Bool(name string) bool { return in.Text(name) == "true" }

// Int is the value of an Int flag; the declaration check made it a number.
func (in *Input) Int(name string) int {
	n, err := strconv.Atoi(in.Text(name))
	if err != nil {
		return 0
	}
	return n
}

// Duration is the value of a Duration flag.
func (in *Input) Duration(name string) time.Duration {
	d, err := clock.ParseDuration(in.Text(name))
	if err != nil {
		return 0
	}
	return d
}
