package cli

import (
	"io"
	"strings"

	"stoa.dev/stoa/internal/platform/module"
)

// maxStdin is far above what a flag may hold.
const maxStdin = 64 << 10

// readStdin fills the flags that the operator wants read from standard input: one
// value, without the line break that ends it.
func (p *Program) readStdin(c module.Command, values map[string][]string) error {
	for _, f := range c.Flags {
		given := values[f.Name]
		if f.StdinFor == "" || len(given) == 0 {
			continue
		}
		delete(values, f.Name)
		if given[0] != "true" {
			continue
		}
		if len(values[f.StdinFor]) > 0 {
			return module.Fail(module.Usage, "give one of them", "--%s and --%s exclude each other", f.StdinFor, f.Name)
		}
		text, err := io.ReadAll(io.LimitReader(p.Stdin, maxStdin+1))
		if err != nil {
			return err
		}
		value := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
		if value == "" || len(text) > maxStdin {
			return module.Fail(module.Usage, "see stoa "+c.Path+" --help", "standard input holds no %s, or too much", f.StdinFor)
		}
		values[f.StdinFor] = []string{value}
	}
	return nil
}
