package constraint_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/database/constraint"
)

func TestFromSQLite(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]constraint.Names{
		"constraint failed: UNIQUE constraint failed: labels.owner, labels.name (2067)": {Table: "labels",
			Column: "owner, name"},
		"UNIQUE constraint failed: index 'by_lower_name' (2067)": {Constraint: "index 'by_lower_name'"},
		"something else": {},
	} {
		if got := constraint.FromSQLite(message, false); got != want {
			t.Errorf("%q names %+v, want %+v", message, got, want)
		}
	}
	got := constraint.FromSQLite("CHECK constraint failed: size_is_small (275)", true)
	if got.Constraint != "size_is_small" {
		t.Errorf("a check names %+v", got)
	}
}

func TestFromPostgres(t *testing.T) {
	t.Parallel()
	if got := constraint.FromPostgres("Key (owner, name)=(ada, s3cret) already exists."); got != "owner, name" {
		t.Errorf("got %q", got)
	}
	if got := constraint.FromPostgres("nothing"); got != "" {
		t.Errorf("got %q", got)
	}
}
