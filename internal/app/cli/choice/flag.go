package choice

import (
	"slices"
	"strings"
)

// Flag is a flag with one of a few values: a wrong one is refused by the flag's name.
type Flag struct {
	Value   *string
	Options []string
}

// String implements pflag.Value.
func (f *Flag) String() string {
	if f.Value == nil {
		return ""
	}
	return *f.Value
}

// Type implements pflag.Value.
func (f *Flag) Type() string { return "string" }

// Set implements pflag.Value.
func (f *Flag) Set(text string) error {
	if !slices.Contains(f.Options, text) {
		return &Error{f.Options}
	}
	*f.Value = text
	return nil
}

// Error refuses a value that is none of the options.
type Error struct{ options []string }

func (e *Error) Error() string { return "choose " + strings.Join(e.options, " or ") }
