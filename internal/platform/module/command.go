package module

import (
	"context"
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
	// Changes says that the command changes what its flags name, and needs one of them.
	Changes bool
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
	// Incomplete says how the command ends that did a part of its work; the zero value means that
	// it does all or fails.
	Incomplete Incomplete
	// Run does the work. What it returns is printed: with --json as one object,
	// otherwise as lines of text.
	Run func(ctx context.Context, in *Input) (any, error)
}

// Incomplete describes a result that holds what was not done. It is printed, and then the
// command ends with the failure Conflict.
type Incomplete struct {
	// Member is the list in the result of what was not done, as in "skipped"; Thing is one of
	// it, as in "line".
	Member, Thing string
	// Accepted is the Bool flag that says that this is no failure.
	Accepted string
	// Next is the next step.
	Next string
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
