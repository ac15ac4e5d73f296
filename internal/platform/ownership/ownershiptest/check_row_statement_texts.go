package ownershiptest

import (
	"fmt"
	"regexp"
	"strings"

	"stoa.dev/stoa/internal/platform/ownership"
)

var tableName = regexp.MustCompile(`\b(?:FROM|JOIN) (\w+)`)

// Check finds rows whose statement does not fit their effect, or that touches tables
// whose names do not start with prefix.
func Check(list []ownership.Rows, prefix string) error {
	for _, r := range list {
		verb := "SELECT COUNT("
		if r.Effect == ownership.Deleted {
			verb = "DELETE FROM "
		}
		switch {
		case r.Of == "":
			return fmt.Errorf("%s: no owner", r.SQL)
		case r.Effect != ownership.Deleted && r.What == "":
			return fmt.Errorf("%s: no name for messages", r.SQL)
		case !strings.HasPrefix(strings.TrimSpace(r.SQL), verb):
			return fmt.Errorf("%s: rows that are %s need %s", r.SQL, r.Effect, verb)
		case !strings.Contains(r.SQL, "$1"):
			return fmt.Errorf("%s: names no owner", r.SQL)
		}
		for _, m := range tableName.FindAllStringSubmatch(r.SQL, -1) {
			if !strings.HasPrefix(m[1], prefix) {
				return fmt.Errorf("%s: %s is not a table of %s", r.SQL, m[1], prefix)
			}
		}
	}
	return nil
}
