package labwords

import (
	"regexp"
	"strings"
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
		"the rate does not fit", "--rate must be above 0 and at most 1000000",
		"use mode running and a rate above 0 up to 1000000", "give it as in --rate 60",
		"exactly is negative", "--exactly is negative",
		"atLeast is negative", "--at-least is negative",
		"atMost is negative", "--at-most is negative",
		"list them; the oldest go", "stoa requests list WORLD shows those there are; the oldest go",
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
