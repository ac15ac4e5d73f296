package memorydiskuse

import "testing"

// TestLedger checks that the largest run ends when all together use too much, and
// no other.
func TestLedger(t *testing.T) {
	t.Parallel()
	l := NewLedger(100)
	for _, step := range []struct {
		run  string
		used int64
		want bool
	}{
		{"a", 60, false}, {"b", 30, false}, {"b", 45, false}, // the watch of b leaves it to a
		{"a", 60, true},
		{"b", 20, false}, {"a", 60, false}, {"c", 70, true}, {"a", 60, false},
	} {
		if got := l.Note(step.run, step.used); got != step.want {
			t.Errorf("%s uses %d: it ends %v, want %v (%v)", step.run, step.used, got, step.want, l.used)
		}
	}
	l.Forget("c")
	if l.Note("a", 70) {
		t.Error("a ends within the bound, after c is gone")
	}
	if NewLedger(0).limit <= 0 {
		t.Error("no bound follows from the machine")
	}
}
