package confirmation

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"stoa.dev/stoa/internal/app/cli/output"
	"stoa.dev/stoa/internal/platform/module"
)

// Ask makes the operator type a word again; what says of which kind it is, as "repo".
func Ask(in io.Reader, out io.Writer, what, word string) error {
	fmt.Fprintf(out, "This cannot be undone. Type %s again to go on: ", word)
	typed, err := bufio.NewReader(in).ReadString('\n')
	if err != nil || !output.Terminal(in) {
		fmt.Fprintln(out) // a terminal has shown the end of the line that was typed
	}
	switch strings.TrimSpace(typed) {
	case word:
		return nil
	case "":
		return module.Fail(module.Usage, "nothing was changed; a script writes "+word+" to standard input", "not confirmed")
	}
	return module.Fail(module.Usage, "nothing was changed", "the second %s does not match", what)
}
