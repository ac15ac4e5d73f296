package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"stoa.dev/stoa/internal/app/cli/plain"
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
	return lookOf(p.Stdout, p.Environ).write(p.Stdout, result)
}

// write shows scalars as "name value" lines and lists of objects as a
// table.
func (l look) write(w io.Writer, result json.RawMessage) error {
	members, ok := plain.Members(result)
	if !ok {
		return l.printList(w, result)
	}
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, m := range members {
		switch {
		case isList(m.Text):
		case isEmptyList(m.Text):
			fmt.Fprintf(table, "no %s\n", strings.ReplaceAll(m.Name, "_", " "))
		default:
			fmt.Fprintf(table, "%s\t%s\n", m.Name, l.shown(m))
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, m := range members {
		if isList(m.Text) {
			if err := l.printList(w, m.Text); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l look) printList(w io.Writer, list json.RawMessage) error {
	var items []json.RawMessage
	if json.Unmarshal(list, &items) != nil {
		if text := plain.Value(list); text != "" {
			_, err := fmt.Fprintln(w, text)
			return err
		}
		return nil
	}
	rows, names := l.tableRows(items)
	if len(names) == 0 {
		return printScalars(w, items)
	}
	head := strings.Split(strings.ToUpper(strings.Join(names, "\t")), "\t")
	var lines [][]string
	for i, row := range rows {
		values := make([]string, len(names))
		for j, name := range names {
			values[j] = row[name]
		}
		if row == nil {
			values[0] = plain.Value(items[i])
		}
		lines = append(lines, values)
	}
	_, err := io.WriteString(w, l.table(head, lines))
	return err
}

// printScalars writes a list of plain values, one a line.
func printScalars(w io.Writer, items []json.RawMessage) error {
	for _, item := range items {
		if _, err := fmt.Fprintln(w, plain.Value(item)); err != nil {
			return err
		}
	}
	return nil
}

// tableRows reads the objects of a list and the names of all their members in
// the order they first appear: a row may have members that the first has not.
// An item that is not an object is a nil row.
func (l look) tableRows(items []json.RawMessage) (rows []map[string]string, names []string) {
	for _, item := range items {
		members, ok := plain.Members(item)
		if !ok {
			rows = append(rows, nil)
			continue
		}
		row := make(map[string]string, len(members))
		for _, m := range members {
			row[m.Name] = l.shown(m)
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
		rows = append(rows, row)
	}
	return rows, names
}

func isList(value json.RawMessage) bool {
	return len(value) > 0 && value[0] == '[' && bytes.HasPrefix(bytes.TrimLeft(value[1:], " \n\t"), []byte("{"))
}

func isEmptyList(value json.RawMessage) bool {
	return len(value) > 1 && value[0] == '[' && len(bytes.TrimSpace(value[1:len(value)-1])) == 0
}
