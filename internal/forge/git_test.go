package forge

import (
	"bytes"
	"errors"
	"io"
	"os/exec"
	"strings"
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
	out, err := collect(t.Context(), yes("while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done"), "yes", 1000)
	if !errors.Is(err, ErrTooLarge) || len(out) > 1000 {
		t.Errorf("got %d bytes and %v, want at most 1000 and a refusal", len(out), err)
	}
	// What goes to standard error is cut and ends nobody.
	out, err = collect(t.Context(), yes("i=0; while [ $i -lt 2000 ]; do echo yyyyyyyy >&2; i=$((i+1)); done; echo done"), "yes", 1000)
	if err != nil || string(out) != "done\n" {
		t.Errorf("got %q and %v, want done", out, err)
	}
}

func TestRecords(t *testing.T) {
	t.Parallel()
	text := []byte("a\x00" + strings.Repeat("x", maxRecord+100) + "\x00b\x00open")
	var r records
	for _, part := range [][]byte{text[:1], text[1:50], text[50:5000], text[5000:]} {
		if n, err := r.Write(part); n != len(part) || err != nil {
			t.Fatalf("wrote %d of %d: %v", n, len(part), err)
		}
	}
	if len(r.ended) != 3 || string(r.ended[0]) != "a" || len(r.ended[1]) != maxRecord || string(r.ended[2]) != "b" || string(r.open) != "open" {
		t.Errorf("got %d records, the second of %d bytes, then %q", len(r.ended), len(r.ended[1]), r.open)
	}
}
