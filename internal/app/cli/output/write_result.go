package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"stoa.dev/stoa/internal/app/cli/columns"
	"stoa.dev/stoa/internal/app/cli/plain"
)

// Write shows scalars as "name value" lines and lists of objects as a
// table.
func (l Look) Write(w io.Writer, result json.RawMessage) error {
	members, ok := plain.Members(result)
	if !ok {
		return l.printList(w, result)
	}
	var lines bytes.Buffer
	table := tabwriter.NewWriter(&lines, 0, 4, 2, ' ', 0)
	alone := !slices.ContainsFunc(members, func(m plain.Member) bool { return inLine(m) && !isEmptyList(m.Text) })
	for _, m := range members {
		switch {
		case !inLine(m):
		case isEmptyList(m.Text) && !alone:
			fmt.Fprintf(table, "%s\tnone\n", m.Name)
		case isEmptyList(m.Text) && (strings.HasSuffix(m.Name, "ed") || m.Name == "ran" || m.Name == "forbidden"):
			fmt.Fprintf(table, "nothing %s\n", m.Name)
		case isEmptyList(m.Text):
			fmt.Fprintf(table, "no %s\n", strings.ReplaceAll(m.Name, "_", " "))
		default:
			l.printMember(table, m)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	text := lines.String()
	if l.Width > 0 {
		text = columns.Members(text, l.Width)
	}
	if _, err := io.WriteString(w, text); err != nil {
		return err
	}
	more := ""
	for _, m := range members {
		if m.Name == nextPage {
			more = "there are more: go on with --page-token " + plain.Value(m.Text) + "\n"
		}
		if isList(m.Text) {
			if err := l.printList(w, m.Text); err != nil {
				return err
			}
		}
	}
	_, err := io.WriteString(w, more)
	return err
}

// inLine reports whether a member is a line of its own; lists of objects are tables below the lines.
func inLine(m plain.Member) bool { return !isList(m.Text) && m.Name != nextPage }

// nextPage is the member that names the page after this one.
const nextPage = "nextPageToken"

// maxInLine is how long an object or a list may be to stand in one line or cell.
const maxInLine = 100

// printMember writes "name value", an object of many members below its name.
func (l Look) printMember(w io.Writer, m plain.Member) {
	text := l.shown(m)
	inner, ok := plain.Members(m.Text)
	if !ok || len(text) <= maxInLine {
		fmt.Fprintf(w, "%s\t%s\n", m.Name, text)
		return
	}
	fmt.Fprintf(w, "%s\n", m.Name)
	for _, member := range inner {
		fmt.Fprintf(w, "  %s\t%s\n", member.Name, l.shown(member))
	}
}

func (l Look) printList(w io.Writer, list json.RawMessage) error {
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
	head := make([]string, len(names))
	for i, name := range names {
		head[i] = plain.Heading(name)
	}
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

// tableRows reads the objects of a list and the names of all their members: one that
// an earlier row has not stands after the member that is before it in its own.
// An item that is not an object is a nil row.
func (l Look) tableRows(items []json.RawMessage) (rows []map[string]string, names []string) {
	for _, item := range items {
		members, ok := plain.Members(item)
		if !ok {
			rows = append(rows, nil)
			continue
		}
		row := make(map[string]string, len(members))
		at := 0
		for _, m := range members {
			row[m.Name] = l.cell(m)
			known := slices.Index(names, m.Name)
			if known < 0 {
				known = at
				names = slices.Insert(names, known, m.Name)
			}
			at = known + 1
		}
		rows = append(rows, row)
	}
	return rows, names
}

// cell is a member's value in a table. A long list has its items apart.
func (l Look) cell(m plain.Member) string {
	text := l.shown(m)
	var items []string
	if len(text) > maxInLine && json.Unmarshal(m.Text, &items) == nil {
		return strings.Join(items, columns.Break)
	}
	return text
}

func isList(value json.RawMessage) bool {
	return len(value) > 0 && value[0] == '[' && bytes.HasPrefix(bytes.TrimLeft(value[1:], " \n\t"), []byte("{"))
}

func isEmptyList(value json.RawMessage) bool {
	return len(value) > 1 && value[0] == '[' && len(bytes.TrimSpace(value[1:len(value)-1])) == 0
}

// shown is a member's value as it reads in a sentence.
func (l Look) shown(m plain.Member) string {
	text := plain.Value(m.Text)
	switch {
	case text == "true" && m.Text[0] == 't':
		return "yes"
	case text == "false" && m.Text[0] == 'f':
		return "no"
	case m.Name == "bytes":
		return plain.Size(text)
	case m.Name == "duration":
		return plain.Duration(m.Text, text)
	}
	moment := plain.WholeSecond
	if l.Width > 0 {
		moment = plain.Moment
	}
	if m.Text[0] == '{' {
		return plain.Moments(text, moment)
	}
	return moment(text)
}
