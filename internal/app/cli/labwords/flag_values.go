package labwords

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/module"
)

// Count reads a whole number.
func Count(flag, text string) error {
	if _, err := strconv.ParseInt(text, 10, 64); err != nil {
		return module.Fail(module.Usage, "give a whole number, such as --"+flag+" 3", "--%s: %q is not a number", flag, text)
	}
	return nil
}

// Share reads a number from 0 to 1.
func Share(flag, text string) error {
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return module.Fail(module.Usage, "give a number from 0 to 1, such as --"+flag+" 0.1",
			"--%s: %q is not a number", flag, text)
	}
	return nil
}

// Time reads a time.
func Time(flag, text string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, module.Fail(module.Usage, "use a time such as 2026-03-01T09:00:00Z", "%s: %q is not a time", flag, text)
	}
	return at, nil
}

// timeSpan is the value of a flag that a lab reads as a duration.
type timeSpan struct{ text *string }

// DurationVar declares a flag whose text is a duration; a lab would refuse another without the flag's name.
func DurationVar(flags *pflag.FlagSet, text *string, name, usage string) {
	flags.Var(timeSpan{text}, name, usage)
}

func (s timeSpan) String() string {
	if s.text == nil { // pflag compares with a value of its own making
		return ""
	}
	return *s.text
}

func (s timeSpan) Type() string { return "duration" }

func (s timeSpan) Set(text string) error {
	if text != "" {
		if _, err := clock.ParseDuration(text); err != nil {
			return err
		}
	}
	*s.text = text
	return nil
}

// moment is the value of a flag that a lab reads as a time.
type moment struct{ timeSpan }

// TimeVar declares a flag whose text is a time.
func TimeVar(flags *pflag.FlagSet, text *string, name, usage string) {
	flags.Var(moment{timeSpan{text}}, name, usage)
}

func (m moment) Type() string { return "time" }

func (m moment) Set(text string) error {
	if text != "" {
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			return fmt.Errorf("must be a time such as 2026-03-01T09:00:00Z, not %q", text)
		}
	}
	*m.text = text
	return nil
}

// number and duration match what pflag says of a value that does not read.
var (
	number   = regexp.MustCompile(`invalid argument ("[^"]*") for ("[^"]*") flag: strconv\.Parse(\w+): .*`)
	own      = regexp.MustCompile(`invalid argument "[^"]*" for ("[^"]*") flag: (must be a .*)`)
	duration = regexp.MustCompile(`invalid argument ("[^"]*") for ("[^"]*") flag: time: .*`)
)

// FlagError says of a flag what does not read, without the words of the parser.
func FlagError(err error) error {
	text := err.Error()
	switch found := number.FindStringSubmatch(text); {
	case found != nil && found[3] == "Bool":
		return fmt.Errorf("%s: %s is neither true nor false", strings.Trim(found[2], `"`), found[1])
	case found != nil && found[3] == "Float":
		return fmt.Errorf("%s: %s is not a number", strings.Trim(found[2], `"`), found[1])
	case found != nil && found[3] == "Uint":
		return fmt.Errorf("%s: %s is not a whole number from 0 on", strings.Trim(found[2], `"`), found[1])
	case found != nil:
		return fmt.Errorf("%s: %s is not a whole number", strings.Trim(found[2], `"`), found[1])
	}
	if found := own.FindStringSubmatch(text); found != nil {
		return fmt.Errorf("%s %s", strings.Trim(found[1], `"`), found[2])
	}
	if found := duration.FindStringSubmatch(text); found != nil {
		return fmt.Errorf("%s: %s is not a duration such as 90s or 10m", strings.Trim(found[2], `"`), found[1])
	}
	return err
}
