package module

import (
	_ "embed"
	"regexp"
	"strings"
)

// packageNames are the names of packages that errors begin with and that say nothing to a reader. The architecture test
// collects them from the errors of the tree: go test ./test -run TestPackageNames -update.
//
//go:embed package_names.txt
var packageNames string

// inner matches one of them where an error begins.
var inner = regexp.MustCompile(`(^|: )(?:` + strings.Join(strings.Fields(packageNames), "|") + `): `)

// PlainMessage is an error without the names of the packages that it passed.
func PlainMessage(text string) string {
	for range 4 { // a name that stands after another begins where the match ended
		next := inner.ReplaceAllString(text, "$1")
		if next == text {
			break
		}
		text = next
	}
	return text
}
