package cli

import (
	"bytes"
	"encoding/json"
	"fmt"

	"stoa.dev/stoa/internal/app/cli/output"
)

// print writes a command's result: as it is with --json, otherwise as lines
// to read.
func (p *Program) print(result json.RawMessage) error {
	if p.json {
		var compact bytes.Buffer
		if err := json.Compact(&compact, result); err != nil {
			return fmt.Errorf("print the result: %w", err)
		}
		_, err := fmt.Fprintln(p.Stdout, compact.String())
		return err
	}
	return output.To(p.Stdout, p.Environ).Write(p.Stdout, result)
}
