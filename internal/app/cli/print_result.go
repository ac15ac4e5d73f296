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

// printValue prints a result that is made here.
func (p *Program) printValue(result any) error {
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	return p.print(text)
}

// printAlone writes to a pipe or a file the one member that it is for, if there is one.
func (p *Program) printAlone(result json.RawMessage, member string) error {
	var members map[string]json.RawMessage
	var text string
	if member == "" || p.json || output.Terminal(p.Stdout) || json.Unmarshal(result, &members) != nil ||
		json.Unmarshal(members[member], &text) != nil {
		return p.print(result)
	}
	_, err := fmt.Fprintln(p.Stdout, text)
	return err
}
