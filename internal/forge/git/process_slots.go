package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
)

const (
	// MinMemory is the smallest memory of a slot that git can work with.
	MinMemory = 40 << 20
	// pushWeight and largeWeight are how many slots a push takes, and a program
	// that reads a large repository.
	pushWeight, largeWeight = 3, 4
	// largeIndex is the size of the pack indexes, at 30 bytes an object, from
	// which a repository is large.
	largeIndex = 2 << 20

	// clientWait is how long a client waits for a slot, queryWait a program of
	// our own, longWait one that copies files, pushWait a push for the one before
	// it.
	clientWait, queryWait, longWait, pushWait = 5 * time.Second, time.Minute, 10 * time.Minute, time.Minute
)

// slots bound the programs of the process and what passes between them and
// clients.
type slots struct {
	// memory is what a program may take for each slot it has.
	memory int64
	// clients are for programs that answer git clients, queries for short
	// questions of our own, long for copies, checkouts and packing. A holder of
	// one of the others may wait for one of queries, never the other way round.
	clients, queries, long *budget.Pool
	// pushes lets one push at a time change the repositories of an owner.
	pushes *budget.Pool
	// disk is for requests and answers in temporary files, in bytes.
	disk *budget.Pool
}

// division is how many slots each kind of program has.
type division struct {
	clients, queries, long int64
	// perQuery is how many of queries one owner may have: no fewer than a push has
	// of clients, and half of them at most, so that no owner's questions hold up
	// another's.
	perQuery int64
	perLong  int64 // how many of long one owner may have
}

func divide(count int64) division {
	few := max(1, count/4)
	share := max(min(few, pushWeight), few/2)
	return division{clients: count, queries: 2 * share, long: few, perQuery: share, perLong: max(1, few/2)}
}

func (d division) total() int64 { return d.clients + d.queries + d.long }

// newSlots divides the memory. Where it is short there are fewer slots.
func newSlots(o Options) *slots {
	d := divide(max(1, min(int64(o.Processes), o.Memory*2/3/MinMemory)))
	short := func() bool { return o.Memory/d.total() < MinMemory }
	for d.perLong > 1 && d.long > d.perLong && short() {
		d.long--
	}
	for d.long > 1 && short() {
		d = divide(d.clients - 1)
	}
	if short() {
		d.queries, d.perQuery = 1, 1 // owners take turns
	}
	count := d.clients
	return &slots{
		memory: o.Memory / d.total(),
		clients: budget.New(budget.Options{
			Name: "git programs", Total: count, PerOwner: max(1, count/4), Anonymous: max(1, count/2), Wait: clientWait,
		}),
		queries: budget.New(budget.Options{
			Name: "git programs", Total: d.queries, PerOwner: d.perQuery, Wait: queryWait,
		}),
		long: budget.New(budget.Options{Name: "git programs", Total: d.long, PerOwner: d.perLong, Wait: longWait}),
		pushes: budget.New(budget.Options{
			Name: "git pushes", Total: count, PerOwner: 1, Wait: pushWait,
		}),
		disk: budget.New(budget.Options{
			Name: "git temporary files", Total: o.TempFiles, PerOwner: max(o.TempFiles/4, o.MaxPush),
			Anonymous: o.TempFiles / 2, Wait: clientWait,
		}),
	}
}

// Slot is what a running program has.
type Slot struct {
	*budget.Grant
	// Memory is what the program may take.
	Memory int64
}

// take waits for slots of a pool; a share that is smaller is enough.
func (p *slots) take(ctx context.Context, pool *budget.Pool, owner budget.Owner, weight int64) (Slot, error) {
	weight = min(weight, pool.Max(owner))
	grant, err := pool.Take(ctx, owner, weight)
	return Slot{Grant: grant, Memory: weight * p.memory}, err
}

// ReadSlot waits for a slot for a program that reads a repository for a client.
func (r *Runner) ReadSlot(ctx context.Context, owner budget.Owner, folder string) (Slot, error) {
	return r.slots.take(ctx, r.slots.clients, owner, r.weight(folder))
}

// PushSlot waits for a slot for a program that takes the push of a client.
func (r *Runner) PushSlot(ctx context.Context, owner budget.Owner) (Slot, error) {
	return r.slots.take(ctx, r.slots.clients, owner, pushWeight)
}

// ClientSlots is how many slots programs for clients have now.
func (r *Runner) ClientSlots() int64 { return r.slots.clients.Used() }

// PushTurn waits until no other push changes a repository of the owner.
func (r *Runner) PushTurn(ctx context.Context, owner budget.Owner) (*budget.Grant, error) {
	return r.slots.pushes.Take(ctx, owner, 1)
}

// weight is how many slots it takes to read a repository: programs keep a few
// hundred bytes for every object that they pass.
func (r *Runner) weight(folder string) int64 {
	// A folder that cannot be read is git's to complain about.
	entries, _ := os.ReadDir(filepath.Join(r.Path(folder), "objects", "pack"))
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
