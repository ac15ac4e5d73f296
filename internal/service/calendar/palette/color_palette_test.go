package palette_test

import (
	"testing"

	"stoa.dev/stoa/internal/service/calendar/palette"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"1": "#a4bdfc", "11": "#dc2127", "12": "", "0": "", "-1": "", "01": "", "": "",
	} {
		if got := palette.Find(palette.Event(), id); got != want {
			t.Errorf("Find(%q) = %q, want %q", id, got, want)
		}
	}
	if n := len(palette.Calendar()); n != 24 {
		t.Errorf("calendars have %d colors, want 24", n)
	}
}

func TestValid(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"#a4bdFC": true, "a4bdfc": false, "#a4bdf": false, "#a4bdfc0": false, "#a4bdfg": false, "": false, "#": false,
	} {
		if got := palette.Valid(text); got != want {
			t.Errorf("Valid(%q) = %v, want %v", text, got, want)
		}
	}
}
