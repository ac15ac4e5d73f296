package execute

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// node is one call of Run.
type node struct {
	executor *Executor
	task     Task
	host     Host
	reporter Reporter
	mask     *mask
	// ctx ends with the node; its cause says why.
	ctx    context.Context
	cancel context.CancelCauseFunc

	dir  string   // on the host
	held *os.File // the lock on dir
	// home, work and share are folders as programs see them.
	home, work, share string

	session   *session
	failed    bool
	halted    bool
	artifacts int
	uploaded  int64 // bytes of artifacts
	saved     int64 // bytes of caches and workspace layers
	tests     budget
	checkouts int

	mu         sync.Mutex
	background map[int]*step
	watching   sync.WaitGroup
}

func (n *node) path(name string) string { return filepath.Join(n.dir, name) }

// place resolves a path of the recipe, relative to the job's folder.
func (n *node) place(p string) string { return place(n.home, n.work, p) }

// maxBackground bounds the pipes of one job.
const maxBackground = 32

// environment is what every step sees: built-ins and project first, the job's
// own over them.
func (n *node) environment() []string {
	all := map[string]string{
		"BASH_ENV":        n.home + "/.stoa/env",
		"STOA_NODE_INDEX": strconv.Itoa(n.task.Node), "STOA_NODE_TOTAL": strconv.Itoa(max(1, n.task.Nodes)),
	}
	maps.Copy(all, n.task.Environment)
	maps.Copy(all, n.task.Job.Environment)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name != "" && !strings.ContainsAny(name, "=\x00") {
			out = append(out, name+"="+strings.ReplaceAll(all[name], "\x00", ""))
		}
	}
	return out
}
