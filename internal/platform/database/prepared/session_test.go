package prepared

import "testing"

func TestPlanOnce(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"limit":            {"SELECT id FROM t LIMIT $1", "SELECT id FROM t LIMIT +$1"},
		"limit and offset": {"SELECT id FROM t\nLIMIT  $12\n OFFSET $3", "SELECT id FROM t\nLIMIT  +$12\n OFFSET +$3"},
		"inner limit": {"DELETE FROM t WHERE id IN (SELECT id FROM t LIMIT $2)",
			"DELETE FROM t WHERE id IN (SELECT id FROM t LIMIT +$2)"},
		"constant": {"SELECT id FROM t LIMIT 1", "SELECT id FROM t LIMIT 1"},
		"no limit": {"SELECT limits FROM t WHERE a = $1", "SELECT limits FROM t WHERE a = $1"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := planOnce(tc.text); got != tc.want {
				t.Errorf("planOnce(%q) = %q, want %q", tc.text, got, tc.want)
			}
		})
	}
}

func TestNameless(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"in order":     {"INSERT INTO t (a, b) VALUES ($1, $2)", "INSERT INTO t (a, b) VALUES (?, ?)"},
		"none":         {"SELECT a FROM t", "SELECT a FROM t"},
		"used twice":   {"SELECT a FROM t WHERE b = $1 OR c = $1", "SELECT a FROM t WHERE b = $1 OR c = $1"},
		"out of order": {"UPDATE t SET a = $2 WHERE b = $1", "UPDATE t SET a = $2 WHERE b = $1"},
		"two digits":   {"VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)", "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
		"a literal":    {"SELECT '$1', $1", "SELECT '$1', $1"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := nameless(tc.text); got != tc.want {
				t.Errorf("nameless(%q) = %q, want %q", tc.text, got, tc.want)
			}
		})
	}
}
