package execute

import (
	_ "embed"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// agent is the program by which a step speaks to its job. A shell runs it, because that is what every sandbox has.
//
//go:embed agent.sh
var agent string

// Timing is how long a test took in an earlier job. Kind says what Name is: filename, classname or testname.
type Timing struct {
	Kind, Name string
	Seconds    float64
}

// writeTimings puts what is known of earlier jobs where the agent finds it. A name that would break a line is left out:
// no list of tests can hold it either.
func (n *node) writeTimings() error {
	var b strings.Builder
	for _, t := range n.task.Timings {
		if t.Name != "" && !strings.ContainsAny(t.Name, "\t\n\r") {
			fmt.Fprintf(&b, "%s\t%s\t%s\n", t.Kind, strconv.FormatFloat(t.Seconds, 'f', 6, 64), t.Name)
		}
	}
	if err := os.WriteFile(n.path("share/timings"), []byte(b.String()), 0o644); err != nil {
		return fmt.Errorf("execute: furnishing a work folder: %w", err)
	}
	return nil
}
