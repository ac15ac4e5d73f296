package module

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// Command is one operator command. It runs in the process that owns the
// store: in the server, reached through the admin socket, or in the command
// line's own process when no server runs.
type Command struct {
	// Path is the words after the program's name, as in "user add".
	Path string
	// Short says what it does in one line, without a full stop.
	Short string
	// Long adds what the one line cannot say.
	Long  string
	Args  []Arg
	Flags []Flag
	// Anywhere says that Run needs no data: it runs in the operator's own process, with
	// their rights, also where there is no data folder.
	Anywhere bool
	// Begins says that the command may be the first in an empty data folder: it fills one.
	Begins bool
	// Confirm names an argument that the operator must type a second time.
	Confirm string
	// Refuse says before the operator confirms why Run would fail; nil means that
	// Run alone decides.
	Refuse func(ctx context.Context, in *Input) error
	// Alone is the member of the result that a pipe or a file gets by itself; empty for all.
	Alone string
	// Run does the work. What it returns is printed: with --json as one object,
	// otherwise as lines of text.
	Run func(ctx context.Context, in *Input) (any, error)
}

// CommandGroup describes the commands that begin with one word, as "user".
type CommandGroup struct {
	Name string
	// Short says what the commands are for in one line, without a full stop.
	Short string
}

// Arg is one positional argument.
type Arg struct {
	Name string
	Help string
	// Optional and Many may only be set on the last argument.
	Optional, Many bool
	// File says what the command does with the file that the argument names. The
	// operator's process reads and writes it: a running server may see other folders
	// and gets a copy. At most one argument of a command is written.
	File FileUse
	// Pick lists what else is read: names below a folder that is read, where nil means
	// all of it, or names beside a file. It runs in the operator's process.
	Pick func(path string) ([]string, error)
}

// Flag is one named option.
type Flag struct {
	Name    string
	Kind    FlagKind
	Default string
	Help    string
	// Required flags have no default.
	Required bool
	// OneOf limits a Text flag to these values.
	OneOf []string
	// StdinFor makes a Bool flag of the command line read standard input: what
	// it finds travels as the value of the flag named here, and the Bool flag
	// does not.
	StdinFor string
}

// FlagKind is the type of a flag's value.
type FlagKind int

// The kinds of flags. A Texts flag may be given several times.
const (
	Text FlagKind = iota
	Texts
	Bool
	Int
	Duration
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

// Failure is why a command could not be done; it decides the exit code.
type Failure string

// The failures and their exit codes, which scripts may rely on.
const (
	Failed   Failure = "failed"
	Usage    Failure = "usage"
	NotFound Failure = "not_found"
	Conflict Failure = "conflict"
	Owned    Failure = "owned"
	Config   Failure = "config"
)

// ExitCode is the process exit code of the failure.
func (f Failure) ExitCode() int {
	switch f {
	case Usage:
		return 2
	case NotFound:
		return 3
	case Conflict:
		return 4
	case Owned:
		return 5
	case Config:
		return 6
	case Failed:
		return 1
	}
	return 1
}

// CommandError names the cause and the next step.
type CommandError struct {
	Failure Failure `json:"failure"`
	Message string  `json:"message"`
	Next    string  `json:"next,omitempty"`
	cause   error
}

// Fail makes a CommandError, whose message names no package. next may be empty.
func Fail(f Failure, next, format string, args ...any) *CommandError {
	err := fmt.Errorf(format, args...)
	return &CommandError{Failure: f, Message: PlainMessage(err.Error()), Next: next, cause: err}
}

// Error is the cause and the next step in one line.
func (e *CommandError) Error() string {
	if e.Next == "" {
		return e.Message
	}
	return e.Message + "; " + e.Next
}

// Unwrap is the error the failure was made from.
func (e *CommandError) Unwrap() error { return e.cause }
