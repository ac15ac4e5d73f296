package cgroup

import (
	"os"
	"strings"
	"testing"
)

// A folder that is not the kernel's takes no limits, and is left as it was.
func TestPlainFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	g, err := New(dir, Limits{Memory: 1 << 20, Processes: 1})
	if g != nil || err == nil || !strings.Contains(err.Error(), "cgroup.subtree_control") {
		t.Errorf("New = %v, %v, want no group and what to do", g, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("New left %v, %v", left, err)
	}
	if g, err := New(dir+"/missing", Limits{}); g != nil || err == nil || !strings.Contains(err.Error(), "Delegate=yes") {
		t.Errorf("New = %v, %v, want no group and what to do", g, err)
	}
}

func TestNoGroup(t *testing.T) {
	t.Parallel()
	var g *Group
	g.Kill()
	g.Place(nil)
	if peak, out := g.Finish(); peak != 0 || out {
		t.Errorf("Finish = %d, %t, want nothing", peak, out)
	}
}
