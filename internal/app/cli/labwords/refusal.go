package labwords

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/module"
)

// hints are next steps of the API and those of the command line.
func hints() *strings.Replacer {
	return strings.NewReplacer(
		"GET /lab/v1/worlds lists those there are", "stoa world list names those there are",
		"GET /lab/v1/snapshots lists those there are", "stoa world saved names those there are",
		"GET /lab/v1/conduct/rules lists the rules", "stoa conduct lists the rules",
		"GET …/inboxes lists those there are", "stoa inbox list names those there are",
		", as does GET /lab/v1/faults/catalog", "",
		`send {"by":"1h"} or {"to":"2026-03-01T09:00:00Z"}`, "give --by 1h or --to 2026-03-01T09:00:00Z",
		`send {"answer":{"status":503,"times":3}}, or leave answer out to accept everything`,
		"give --status 503 --times 3, or no flag to accept everything",
		"or PATCH its answer", "or change it with stoa inbox answer",
		"send ?atLeast=1&within=10s", "give --at-least 1 --within 10s",
		"docs/lab.md and docs/faults.md list the members", "see --help of this command",
		"docs/lab.md lists the parameters", "see --help of this command",
		"docs/lab.md lists the calls", "the lab is of another version than this program",
		"docs/openapi has the names of the operations; ", "the documentation of the service (stoa open docs) names them; ",
		"send Authorization: Bearer $STOA_LAB_TOKEN; lab.env in the lab's folder has it",
		"set STOA_LAB_TOKEN to the lab's token, which lab.env in its folder has",
		"name one of by and to", "--by or --to is missing",
		"leave service out to see all", "leave --service out to see all",
	)
}

// member matches the part of a rule or an expectation that a message begins with.
var member = regexp.MustCompile(`\b(?:match|when|calls|deed|clock)\.([a-zA-Z]+)`)

// position matches where in a body, which the reader did not write, something is wrong.
var position = regexp.MustCompile(` ?\(at byte \d+\)`)

// leaked matches words of a decoder before what it found.
var leaked = regexp.MustCompile(`(?:json|strconv|wire)(?:\.\w+)?: `)

// Refusal is the message and the next step of a lab in the words of the command line.
func Refusal(message, next string) (string, string) {
	return flags(hints().Replace(message)), flags(hints().Replace(next))
}

// flags names flags in place of members.
func flags(text string) string {
	text = member.ReplaceAllStringFunc(text, func(found string) string {
		begin, name, _ := strings.Cut(found, ".")
		switch {
		case begin == "deed":
			return "--deed"
		case name == "now":
			return "--clock"
		}
		return "--" + name
	})
	return leaked.ReplaceAllString(position.ReplaceAllString(text, ""), "")
}

// Numbers and times that flags carry to a lab are read before they are sent.

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

// number and duration match what pflag says of a value that does not read.
var (
	number   = regexp.MustCompile(`invalid argument ("[^"]*") for ("[^"]*") flag: strconv\.Parse(\w+): .*`)
	duration = regexp.MustCompile(`invalid argument ("[^"]*") for ("[^"]*") flag: time: .*`)
)

// FlagError says of a flag what does not read, without the words of the parser.
func FlagError(err error) error {
	text := err.Error()
	switch found := number.FindStringSubmatch(text); {
	case found != nil && found[3] == "Bool":
		return fmt.Errorf("%s: %s is neither true nor false", strings.Trim(found[2], `"`), found[1])
	case found != nil:
		return fmt.Errorf("%s: %s is not a number that it takes", strings.Trim(found[2], `"`), found[1])
	}
	if found := duration.FindStringSubmatch(text); found != nil {
		return fmt.Errorf("%s: %s is not a duration such as 90s or 10m", strings.Trim(found[2], `"`), found[1])
	}
	return err
}
