package database

import "testing"

func TestPlanOnce(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"limit":            {"SELECT id FROM t LIMIT $1", "SELECT id FROM t LIMIT +$1"},
		"limit and offset": {"SELECT id FROM t\nLIMIT  $12\n OFFSET $3", "SELECT id FROM t\nLIMIT  +$12\n OFFSET +$3"},
		"inner limit":      {"DELETE FROM t WHERE id IN (SELECT id FROM t LIMIT $2)", "DELETE FROM t WHERE id IN (SELECT id FROM t LIMIT +$2)"},
		"constant":         {"SELECT id FROM t LIMIT 1", "SELECT id FROM t LIMIT 1"},
		"no limit":         {"SELECT limits FROM t WHERE a = $1", "SELECT limits FROM t WHERE a = $1"},
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
