package module

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/clock"
)

// Check checks the operator's values against the declaration, so that Run never
// meets a missing, unknown or mistyped value, whether the command line sent it or
// another client of the admin socket.
func (c Command) Check(values map[string][]string) error {
	known, flagged := map[string]bool{}, false
	for _, a := range c.Args {
		known[a.Name] = true
		if err := c.checkArg(a, values[a.Name]); err != nil {
			return err
		}
	}
	for _, f := range c.Flags {
		known[f.Name] = true
		flagged = flagged || len(values[f.Name]) > 0
		if err := c.checkFlag(f, values[f.Name]); err != nil {
			return err
		}
	}
	for name := range values {
		if !known[name] {
			return c.usage("unknown argument %q", name)
		}
	}
	if c.Changes && !flagged {
		var names []string
		for _, f := range c.Flags {
			names = append(names, "--"+f.Name)
		}
		return c.usage("nothing to change: name one of %s", strings.Join(names, ", "))
	}
	return nil
}

// Line is the usage line, as in "user add NAME [--admin]".
func (c Command) Line() string {
	var b strings.Builder
	b.WriteString(c.Path)
	for _, a := range c.Args {
		name := strings.ToUpper(a.Name)
		if a.Many {
			name += "..."
		}
		if a.Optional {
			name = "[" + name + "]"
		}
		b.WriteString(" " + name)
	}
	return b.String()
}

func (c Command) checkArg(a Arg, given []string) error {
	if len(given) == 0 && !a.Optional {
		return c.usage("%s is missing", strings.ToUpper(a.Name))
	}
	if len(given) > 1 && !a.Many {
		return c.usage("%s is given more than once", strings.ToUpper(a.Name))
	}
	return nil
}

func (c Command) checkFlag(f Flag, given []string) error {
	if len(given) == 0 {
		if f.Required {
			return c.usage("--%s is missing", f.Name)
		}
		return nil
	}
	if len(given) > 1 && f.Kind != Texts {
		return c.usage("--%s is given more than once", f.Name)
	}
	for _, value := range given {
		if err := f.check(value); err != nil {
			return c.usage("--%s: %w", f.Name, err)
		}
	}
	return nil
}

func (f Flag) check(value string) error {
	if len(f.OneOf) > 0 && !slices.Contains(f.OneOf, value) {
		return fmt.Errorf("%q is not one of %s", value, strings.Join(f.OneOf, ", "))
	}
	var err error
	switch f.Kind {
	case Bool:
		if value != "true" && value != "false" {
			err = fmt.Errorf("%q is not true or false", value)
		}
	case Int:
		if _, bad := strconv.Atoi(value); bad != nil {
			err = fmt.Errorf("%q is not a whole number", value)
		}
	case Duration:
		_, err = clock.ParseDuration(value)
	case Text, Texts:
	}
	return err
}

func (c Command) usage(format string, args ...any) error {
	return Fail(Usage, "see stoa "+c.Path+" --help", format, args...)
}
