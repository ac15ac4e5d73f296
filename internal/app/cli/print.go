package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// print writes a command's result: as it is with --json, otherwise as lines
// for people.
func (p *Program) print(result json.RawMessage) error {
	if p.json {
		var compact bytes.Buffer
		if err := json.Compact(&compact, result); err != nil {
			return fmt.Errorf("print the result: %w", err)
		}
		_, err := fmt.Fprintln(p.Stdout, compact.String())
		return err
	}
	return printText(p.Stdout, result)
}

// member is one name and value of a JSON object, in the order it was written.
type member struct {
	name  string
	value json.RawMessage
}

// printText shows scalars as "name value" lines and lists of objects as a
// table.
func printText(w io.Writer, result json.RawMessage) error {
	members, ok := objectMembers(result)
	if !ok {
		return printList(w, result)
	}
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, m := range members {
		if isList(m.value) {
			continue
		}
		fmt.Fprintf(table, "%s\t%s\n", m.name, scalar(m.value))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, m := range members {
		if isList(m.value) {
			if err := printList(w, m.value); err != nil {
				return err
			}
		}
	}
	return nil
}

func printList(w io.Writer, list json.RawMessage) error {
	var items []json.RawMessage
	if json.Unmarshal(list, &items) != nil {
		if text := scalar(list); text != "" {
			_, err := fmt.Fprintln(w, text)
			return err
		}
		return nil
	}
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for i, item := range items {
		members, ok := objectMembers(item)
		if !ok {
			fmt.Fprintln(table, scalar(item))
			continue
		}
		names, values := make([]string, len(members)), make([]string, len(members))
		for j, m := range members {
			names[j], values[j] = strings.ToUpper(m.name), scalar(m.value)
		}
		if i == 0 {
			fmt.Fprintln(table, strings.Join(names, "\t"))
		}
		fmt.Fprintln(table, strings.Join(values, "\t"))
	}
	return table.Flush()
}

// objectMembers reads an object's members in their order.
func objectMembers(text json.RawMessage) ([]member, bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if t, err := decoder.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	var members []member
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, false
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return nil, false
		}
		members = append(members, member{name: fmt.Sprint(name), value: value})
	}
	return members, true
}

func isList(value json.RawMessage) bool {
	return len(value) > 0 && value[0] == '[' && bytes.HasPrefix(bytes.TrimLeft(value[1:], " \n\t"), []byte("{"))
}

// scalar is a value without quotes; null and empty lists are empty.
func scalar(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	var list []string
	if json.Unmarshal(value, &list) == nil {
		return strings.Join(list, " ")
	}
	if string(value) == "null" {
		return ""
	}
	return string(value)
}
