package cli

import (
	"errors"
	"slices"
	"strings"
)

// choice is a flag with one of a few values: a wrong one is refused by the flag's name.
type choice struct {
	value   *string
	options []string
}

// String implements pflag.Value.
func (c *choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

// Type implements pflag.Value.
func (c *choice) Type() string { return "string" }

// Set implements pflag.Value.
func (c *choice) Set(text string) error {
	if !slices.Contains(c.options, text) {
		return errors.New("choose " + strings.Join(c.options, " or "))
	}
	*c.value = text
	return nil
}
