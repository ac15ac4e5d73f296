package sqliteheap_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/database/sqliteheap"
)

// resident is how much memory this process has, in bytes.
func resident(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// TestTrim gives back what many connections had and none has any more.
func TestTrim(t *testing.T) { //nolint:paralleltest // it looks at the memory of the process
	const threads, pieces, size = 32, 1000, 2000
	for range threads {
		thread := sqliteheap.NewThread()
		all := make([]sqliteheap.Piece, pieces)
		for i := range all {
			all[i] = thread.Allocate(size)
			all[i].Fill(1)
		}
		for _, p := range all {
			thread.Free(p)
		}
		thread.Close()
	}
	before := resident(t)
	if err := sqliteheap.Trim(); err != nil {
		t.Fatal(err)
	}
	if got, want := before-resident(t), threads*pieces*size/2; got < want {
		t.Errorf("%d bytes less, want at least %d", got, want)
	}
	thread := sqliteheap.NewThread()
	defer thread.Close()
	p := thread.Allocate(size)
	p.Fill(2)
	thread.Free(p)
}
