package choice

import (
	"errors"
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
		return errors.New("choose " + strings.Join(f.Options, " or "))
	}
	*f.Value = text
	return nil
}
