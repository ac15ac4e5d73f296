package sqliteconn

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

func TestNumbered(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"in order":      {"INSERT INTO t (a, b) VALUES ($1, $2)", "INSERT INTO t (a, b) VALUES (?1, ?2)"},
		"none":          {"SELECT a FROM t", "SELECT a FROM t"},
		"out of order":  {"UPDATE t SET a = $2 WHERE b = $1", "UPDATE t SET a = ?2 WHERE b = ?1"},
		"two digits":    {"VALUES ($10)", "VALUES (?10)"},
		"a literal":     {"SELECT '$1', $1", "SELECT '$1', ?1"},
		"a quote in it": {"SELECT 'it''s $1', $1", "SELECT 'it''s $1', ?1"},
		"an identifier": {`SELECT "$1" FROM t WHERE a = $1`, `SELECT "$1" FROM t WHERE a = ?1`},
		"a path":        {"SELECT b ->> '$.a' FROM t WHERE a = $1", "SELECT b ->> '$.a' FROM t WHERE a = ?1"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := numbered(tc.text); got != tc.want {
				t.Errorf("numbered(%q) = %q, want %q", tc.text, got, tc.want)
			}
		})
	}
}
