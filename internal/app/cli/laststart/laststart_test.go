package laststart_test

import (
	"net"
	"testing"

	"stoa.dev/stoa/internal/app/cli/laststart"
)

func TestFlags(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if got, err := laststart.RecallFlags(dir); err != nil || len(got) != 0 {
		t.Errorf("a new folder: %v, %v", got, err)
	}
	given := laststart.Flags{"demo": "true", "dialect": "sdk", "data": dir, "listen": "127.0.0.1:1"}
	if err := given.Remember(dir); err != nil {
		t.Fatal(err)
	}
	got, err := laststart.RecallFlags(dir)
	if err != nil || len(got) != 2 || got["demo"] != "true" || got["dialect"] != "sdk" {
		t.Errorf("got %v, %v; want demo and dialect", got, err)
	}
}

// TestAddress: a port that was picked stays, until another program has it.
func TestAddress(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := laststart.HTTPS.Remember(dir, "127.0.0.1:0", taken.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if got, err := laststart.HTTPS.Recall(t.Context(), dir); err != nil || got != "127.0.0.1:0" {
		t.Errorf("while another has it: %q, %v", got, err)
	}
	if err := taken.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := laststart.HTTPS.Recall(t.Context(), dir); err != nil || got != taken.Addr().String() {
		t.Errorf("got %q, %v; want %s", got, err, taken.Addr())
	}
	if got, err := laststart.HTTP.Recall(t.Context(), dir); err != nil || got != "" {
		t.Errorf("one that was never kept: %q, %v", got, err)
	}
}
