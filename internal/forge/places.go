package forge

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
)

const (
	// minMemory is the least that a place is worth: a git program needs some.
	minMemory = 40 << 20
	// pushWeight and largeWeight are how many places a push takes, and whatever
	// reads a large repository.
	pushWeight, largeWeight = 3, 4
	// largeIndex is the size of the pack indexes, at 30 bytes an object, from
	// which a repository is large.
	largeIndex = 2 << 20

	// clientWait is how long a client waits for a place, ownWait a program of
	// our own, longWait one that copies files, pushWait a push for the one before
	// it.
	clientWait, ownWait, longWait, pushWait = 5 * time.Second, time.Minute, 10 * time.Minute, time.Minute
)

// places bounds the git programs of the process and what passes between them
// and clients.
type places struct {
	// memory is what a program may take for each place it holds.
	memory int64
	// clients are for programs that answer git clients, own for short questions
	// that the forge asks itself, long for copies, checkouts and packing. Who
	// holds one of the others may wait for one of own, never the other way round.
	clients, own, long *budget.Pool
	// pushes lets one push at a time change the repositories of an owner.
	pushes *budget.Pool
	// disk is for requests and answers in temporary files, in bytes.
	disk *budget.Pool
}

// newPlaces divides the memory. Where it is short there are fewer places.
func newPlaces(c Config, memory int64) *places {
	if c.Memory > 0 {
		memory = c.Memory
	}
	count := max(1, min(int64(c.Processes), memory*2/3/minMemory))
	few := max(1, count/4)
	return &places{
		memory: memory / (count + 2*few),
		clients: budget.New(budget.Options{
			Name: "git programs", Total: count, PerOwner: max(1, count/4), Anonymous: max(1, count/2), Wait: clientWait,
		}),
		own:  budget.New(budget.Options{Name: "git programs", Total: few, Wait: ownWait}),
		long: budget.New(budget.Options{Name: "git programs", Total: few, PerOwner: max(1, few/2), Wait: longWait}),
		pushes: budget.New(budget.Options{
			Name: "git pushes", Total: count, PerOwner: 1, Wait: pushWait,
		}),
		disk: budget.New(budget.Options{
			Name: "git temporary files", Total: c.Spool, PerOwner: max(c.Spool/4, c.MaxPush), Anonymous: c.Spool / 2, Wait: clientWait,
		}),
	}
}

// place is what a running git program holds.
type place struct {
	*budget.Grant
	// memory is what the program may take.
	memory int64
}

// take waits for places in a pool; a share that is smaller is enough.
func (p *places) take(ctx context.Context, pool *budget.Pool, owner budget.Owner, weight int64) (place, error) {
	weight = min(weight, pool.Max(owner))
	grant, err := pool.Take(ctx, owner, weight)
	return place{Grant: grant, memory: weight * p.memory}, err
}

// budgetOwner is whose share programs on a repository use that no client waits for.
func budgetOwner(o Owner) budget.Owner {
	return budget.Caller(string(o.Kind) + ":" + strconv.FormatInt(o.ID, 10))
}

// weight is how many places it takes to read a repository: programs keep a few
// hundred bytes for every object that they pass.
func (g *git) weight(folder string) int64 {
	// A folder that cannot be read is git's to complain about.
	entries, _ := os.ReadDir(filepath.Join(g.path(folder), "objects", "pack"))
	total := int64(0)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".idx") {
			continue
		}
		if info, err := e.Info(); err == nil {
			total += info.Size()
		}
	}
	if total > largeIndex {
		return largeWeight
	}
	return 1
}
