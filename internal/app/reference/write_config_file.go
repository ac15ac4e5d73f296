package reference

import (
	"fmt"
	"io"
	"strings"

	"stoa.dev/stoa/internal/app/cli/columns"
)

// fileWidth is where comments of the file are broken.
const fileWidth = 96

// WriteFile writes a configuration file that changes nothing: every setting with its
// meaning and its default, commented out.
func WriteFile(w io.Writer, entries []Entry) error {
	var b strings.Builder
	b.WriteString("# Configuration of Stoa. Remove the # before a setting, and before the sections above it,\n" +
		"# to change it; what stays commented keeps its default.\n")
	var open []string
	for _, e := range entries {
		keys := strings.Split(e.Name, ".")
		above := keys[:len(keys)-1]
		shared := common(open, above)
		b.WriteString("\n")
		for i := shared; i < len(above); i++ {
			fmt.Fprintf(&b, "#%s%s:\n", strings.Repeat("  ", i), above[i])
		}
		open = above
		indent := strings.Repeat("  ", len(above))
		for _, line := range columns.Wrap(e.Meaning, fileWidth-len(indent)) {
			fmt.Fprintf(&b, "#%s# %s\n", indent, line)
		}
		fmt.Fprintf(&b, "#%s%s: %s\n", indent, keys[len(keys)-1], fileDefault(e))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// common counts the words that two lists begin with alike.
func common(a, b []string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// fileDefault is the default as YAML.
func fileDefault(e Entry) string {
	switch {
	case e.Default == "null" && e.Type == "object":
		return "{}"
	case e.Default == "null":
		return "[]"
	case e.Type == "text", e.Default == "":
		return fmt.Sprintf("%q", e.Default)
	}
	return e.Default
}
