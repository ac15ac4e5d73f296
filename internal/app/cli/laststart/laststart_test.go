package laststart_test

import (
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

// TestAddress: a port that was picked is taken again while it is free; one that was
// named is the address itself.
func TestAddress(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ asked, taken, address, last string }{
		{"127.0.0.1:0", "127.0.0.1:39245", "127.0.0.1:0", "127.0.0.1:39245"},
		{"127.0.0.1:9000", "127.0.0.1:9000", "127.0.0.1:9000", ""},
		{"127.0.0.1:9000", "", "", ""},
	} {
		dir := t.TempDir()
		if err := laststart.HTTPS.Remember(dir, row.asked, row.taken); err != nil {
			t.Fatal(err)
		}
		address, last, err := laststart.HTTPS.Recall(dir)
		if err != nil || address != row.address || last != row.last {
			t.Errorf("%+v: got %q, %q, %v", row, address, last, err)
		}
		if address, last, err := laststart.HTTP.Recall(dir); err != nil || address+last != "" {
			t.Errorf("one that was never kept: %q, %q, %v", address, last, err)
		}
	}
}
