package git

import (
	"bytes"
	"errors"
	"io"
	"os/exec"
	"testing"
)

// TestCapped copies as os/exec does, which takes every short cut it finds.
func TestCapped(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		drop bool
		size int
		kept int
		want error
	}{
		"fits":             {false, 10, 10, nil},
		"one too many":     {false, 11, 10, io.ErrShortWrite},
		"far too many":     {false, 1 << 20, 10, io.ErrShortWrite},
		"the rest dropped": {true, 1 << 20, 10, nil},
	} {
		c := &capped{left: 10, drop: row.drop}
		_, err := io.Copy(c, struct{ io.Reader }{bytes.NewReader(make([]byte, row.size))})
		if !errors.Is(err, row.want) || len(c.kept) != row.kept || c.full != (row.want != nil) {
			t.Errorf("%s: kept %d, full %v, %v; want %d and %v", name, len(c.kept), c.full, err, row.kept, row.want)
		}
	}
}

// TestCollectBounds runs a program that prints without end.
func TestCollectBounds(t *testing.T) {
	t.Parallel()
	yes := func(script string) *exec.Cmd { return exec.CommandContext(t.Context(), "sh", "-c", script) }
	out, err := Collect(t.Context(), yes("while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done"), "yes", 1000)
	if !errors.Is(err, ErrTooLarge) || len(out) > 1000 {
		t.Errorf("got %d bytes and %v, want at most 1000 and a refusal", len(out), err)
	}
	// What goes to standard error is cut and does not end the program.
	complaints := "i=0; while [ $i -lt 2000 ]; do echo yyyyyyyy >&2; i=$((i+1)); done; echo done"
	out, err = Collect(t.Context(), yes(complaints), "yes", 1000)
	if err != nil || string(out) != "done\n" {
		t.Errorf("got %q and %v, want done", out, err)
	}
}
