package constraint

import "strings"

// Names are what a message names; empty where it does not say.
type Names struct{ Table, Column, Constraint string }

// FromSQLite reads the names out of messages such as
// "… UNIQUE constraint failed: labels.owner, labels.name (2067)". check says that it
// was a CHECK, which is named itself.
func FromSQLite(message string, check bool) (n Names) {
	_, names, ok := strings.Cut(message, "constraint failed: ")
	if !ok {
		return Names{}
	}
	// The driver repeats SQLite's generic words in front of the specific ones.
	if _, rest, again := strings.Cut(names, "constraint failed: "); again {
		names = rest
	}
	if i := strings.LastIndex(names, " ("); i >= 0 {
		names = names[:i]
	}
	if check {
		return Names{Constraint: names}
	}
	var columns []string
	for name := range strings.SplitSeq(names, ", ") {
		table, column, ok := strings.Cut(name, ".")
		if !ok {
			// An index on an expression is named as "index 'name'".
			n.Constraint = names
			return n
		}
		n.Table = table
		columns = append(columns, column)
	}
	n.Column = strings.Join(columns, ", ")
	return n
}

// FromPostgres is the list of columns in the detail of a unique violation: "Key
// (owner, name)=(…) already exists." The values are left out: they may be secrets.
func FromPostgres(detail string) string {
	_, rest, ok := strings.Cut(detail, "Key (")
	if !ok {
		return ""
	}
	columns, _, _ := strings.Cut(rest, ")=(")
	return columns
}
