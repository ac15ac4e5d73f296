package recipe

import (
	"maps"
	"slices"
	"strings"
)

// maxMatrix bounds the jobs that one matrix becomes.
const maxMatrix = 128

// matrix is what one entry of a workflow's jobs repeats a job over.
type matrix struct {
	at    *node
	alias string
	// rows are the combinations that are not excluded, each a node per
	// parameter; names keep the order in which they are written.
	names []string
	rows  []map[string]*node
}

// readMatrix reads parameters, exclude and alias.
func readMatrix(n *node, s scope) (*matrix, error) {
	in := open(n, s, "matrix")
	m := &matrix{at: n, alias: in.text("alias")}
	values, exclude := in.take("parameters"), in.take("exclude")
	if err := in.close(); err != nil {
		return nil, err
	}
	if values == nil || values.kind != mapping || len(values.entries) == 0 {
		return nil, n.errorf("matrix needs parameters, a map of names and lists of values")
	}
	m.rows = []map[string]*node{{}}
	for _, e := range values.entries {
		if e.node.kind != sequence || len(e.node.items) == 0 {
			return nil, e.node.errorf("%s of a matrix is a list of values, this is %s", e.key, e.node.what())
		}
		if err := s.spend(e.node, len(m.rows)*len(e.node.items), 0); err != nil {
			return nil, err
		}
		if len(m.rows)*len(e.node.items) > maxMatrix {
			return nil, n.errorf("the matrix makes more than %d jobs", maxMatrix)
		}
		m.names = append(m.names, e.key)
		m.rows = multiply(m.rows, e)
	}
	if err := m.leaveOut(exclude, s); err != nil {
		return nil, err
	}
	if len(m.rows) == 0 {
		return nil, n.errorf("exclude leaves nothing of the matrix")
	}
	return m, nil
}

// multiply repeats every row for every value; the last parameter changes
// fastest.
func multiply(rows []map[string]*node, e entry) []map[string]*node {
	var out []map[string]*node
	for _, row := range rows {
		for _, value := range e.node.items {
			more := maps.Clone(row)
			more[e.key] = value
			out = append(out, more)
		}
	}
	return out
}

// leaveOut removes the combinations that exclude names; each names all
// parameters.
func (m *matrix) leaveOut(n *node, s scope) error {
	if n == nil {
		return nil
	}
	if n.kind != sequence {
		return n.errorf("exclude is a list of maps, this is %s", n.what())
	}
	for _, item := range n.items {
		if item.kind != mapping || len(item.entries) != len(m.names) ||
			slices.ContainsFunc(item.entries, func(e entry) bool { return !slices.Contains(m.names, e.key) }) {
			return item.errorf("an entry of exclude gives each parameter of the matrix one value: %s", list(m.names))
		}
		var failed error
		m.rows = slices.DeleteFunc(m.rows, func(row map[string]*node) bool {
			same, err := excluded(item, row, s)
			if err != nil {
				failed = err
			}
			return same
		})
		if failed != nil {
			return failed
		}
	}
	return nil
}

func excluded(item *node, row map[string]*node, s scope) (bool, error) {
	for _, e := range item.entries {
		want, err := s.text(e.node, e.key)
		if err != nil {
			return false, err
		}
		got, err := s.text(row[e.key], e.key)
		if err != nil || want != got {
			return false, err
		}
	}
	return true, nil
}

// suffix is what a job of the matrix is called after the name of the job.
func (m *matrix) suffix(row map[string]*node, s scope) (string, error) {
	var parts []string
	for _, name := range m.names {
		text, err := s.text(row[name], name)
		if err != nil {
			return "", err
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "-"), nil
}

// scope is what the settings of one job of the matrix see.
func (m *matrix) scope(row map[string]*node, s scope) (scope, error) {
	for _, name := range m.names {
		v, err := s.expand(row[name])
		if err != nil {
			return s, err
		}
		if v == row[name].value && v != nil {
			v = row[name].text // 1.10 stays 1.10
			if b, ok := row[name].value.(bool); ok {
				v = b
			}
		}
		s = s.with("matrix."+name, v)
	}
	return s, nil
}
