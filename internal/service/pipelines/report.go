package pipelines

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/s2"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

const (
	// flushEvery is how long output waits at most before others can read it.
	flushEvery = 150 * time.Millisecond
	// flushSize makes it wait no longer, pendingMax makes the job wait instead.
	flushSize  = 512 << 10
	pendingMax = 4 << 20
	// pieceSize is the most of one piece, before packing.
	pieceSize = 512 << 10
	// firstStep is the number of a job's first step; those below are ours.
	firstStep = 101
)

// report collects what the nodes of one job do and print, and writes it in
// batches: a short job costs no transaction besides those of its start and end.
type report struct {
	s     *Service
	build *Build

	mu      sync.Mutex
	room    *sync.Cond
	actions map[actionKey]*liveAction
	order   []actionKey
	pending int
	reasons map[int]string
	// full is set when the project keeps as much output as it may.
	full bool
	// stopped is set when nothing will be read any more.
	stopped bool
	tests   map[int]int64

	kick chan struct{}
	over chan struct{}
}

type actionKey struct{ step, node int }

// liveAction is a step with what was not written yet.
type liveAction struct {
	Action
	dirty bool
	// cropped means that the output says that no more of it is kept.
	cropped bool
	seq     int64
	pieces  []piece
	// tail is the piece that still grows.
	tail     []byte
	tailKind string
}

func newReport(s *Service, b *Build) *report {
	r := &report{
		s: s, build: b, actions: map[actionKey]*liveAction{}, reasons: map[int]string{}, tests: map[int]int64{},
		kick: make(chan struct{}, 1), over: make(chan struct{}),
	}
	r.room = sync.NewCond(&r.mu)
	return r
}

// spinUp is our own step, which tells what the job runs on.
func (r *report) spinUp(ctx context.Context, t execute.Task, confined bool) {
	text := fmt.Sprintf("Job %s on %d node(s), revision %s\n", t.Job.Name, t.Nodes, r.build.Revision)
	if confined {
		text += "Programs run in a sandbox of their own.\n"
	} else {
		text += "Programs run with the rights of the server (executor: host).\n"
	}
	at := r.s.now()
	r.put(Action{
		BuildID: r.build.ID, Name: "Spin up environment", Kind: "infrastructure", Status: ActionSuccess, StartedAt: at, EndedAt: at,
	})
	// Nothing waits yet, so there is room.
	_ = r.output(ctx, actionKey{}, "out", []byte(text))
}

func (r *report) put(a Action) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := actionKey{a.Step, a.Node}
	live := r.actions[key]
	if live == nil {
		live = &liveAction{}
		r.actions[key] = live
		r.order = append(r.order, key)
	}
	a.OutputSize = live.OutputSize
	live.Action, live.dirty = a, true
}

// output takes bytes of a step, and waits while too many are unwritten.
func (r *report) output(ctx context.Context, key actionKey, kind string, p []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.pending > pendingMax && !r.stopped {
		r.room.Wait()
	}
	live := r.actions[key]
	if r.stopped || live == nil {
		return context.Cause(ctx)
	}
	if r.full && live.cropped {
		return nil
	}
	live.OutputSize += int64(len(p))
	live.dirty = true
	r.pending += len(p)
	for len(p) > 0 {
		if live.tailKind != kind || len(live.tail) >= pieceSize {
			live.cut(r.s.now())
			live.tailKind = kind
		}
		n := min(len(p), pieceSize-len(live.tail))
		live.tail = append(live.tail, p[:n]...)
		p = p[n:]
	}
	if r.pending >= flushSize {
		select {
		case r.kick <- struct{}{}:
		default:
		}
	}
	return nil
}

// cut ends the piece that grows.
func (l *liveAction) cut(now time.Time) {
	if len(l.tail) == 0 {
		return
	}
	l.seq++
	l.pieces = append(l.pieces, piece{
		step: l.Step, node: l.Node, seq: l.seq, kind: l.tailKind, at: now, size: len(l.tail), packed: l.tail,
	})
	l.tail = nil
}

// loop writes what has come together, every now and then.
func (r *report) loop(ctx context.Context) {
	var since time.Time // when writing began to fail
	for {
		timer := r.s.pace.NewTimer(flushEvery)
		select {
		case <-r.over:
			timer.Stop()
			return
		case <-r.kick:
		case <-timer.C:
		}
		timer.Stop()
		if cause := r.verdict(ctx, r.flush(ctx), &since); cause != nil {
			// What the job does from here on is for nobody.
			r.s.queue.halt(r.build.ID, cause)
			r.abort()
			return
		}
	}
}

// verdict is why a run has to end after a write, nil while it goes on. A
// database that is away for a moment costs nothing: what waits is written when
// it is back. When it stays away longer than the lease, the job is as good as
// lost.
func (r *report) verdict(ctx context.Context, err error, since *time.Time) error {
	switch now := r.s.pace.Now(); {
	case err == nil:
		*since = time.Time{}
	case errors.Is(err, errLeaseLost):
		return execute.ErrCanceled
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case since.IsZero():
		*since = now
		r.s.world.Telemetry.Log.Warn("the output of a job has to wait", "service", Name, "job", r.build.ID, "error", err)
	case now.Sub(*since) >= r.s.config.Lease:
		return errUnwritten
	}
	return nil
}

// flush writes in a transaction of its own, if there is anything.
func (r *report) flush(ctx context.Context) error {
	r.mu.Lock()
	idle := r.pending == 0 && !r.anyDirty()
	r.mu.Unlock()
	if idle {
		return nil
	}
	return r.s.world.DB.WriteKeyed(ctx, lane(r.build.RepoID), func(ctx context.Context, tx *database.Tx) error { return r.write(ctx, tx) })
}

func (r *report) anyDirty() bool {
	for _, live := range r.actions {
		if live.dirty {
			return true
		}
	}
	return false
}

// batch is what one transaction writes.
type batch struct {
	actions []Action
	pieces  []piece
	bytes   int
	// full means that there was no room for the pieces.
	full bool
}

// collect takes what is unwritten without forgetting it: the transaction may
// have to run again.
func (r *report) collect() batch {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b batch
	for _, key := range r.order {
		live := r.actions[key]
		if !live.dirty && len(live.pieces) == 0 && len(live.tail) == 0 {
			continue
		}
		live.cut(r.s.now())
		b.actions = append(b.actions, live.Action)
		b.pieces = append(b.pieces, live.pieces...)
		for _, p := range live.pieces {
			b.bytes += p.size
		}
	}
	return b
}

// settled forgets what has become durable.
func (r *report) settled(b batch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range b.actions {
		live := r.actions[actionKey{a.Step, a.Node}]
		live.dirty = live.Action != a
	}
	for _, p := range b.pieces {
		live := r.actions[actionKey{p.step, p.node}]
		for len(live.pieces) > 0 && live.pieces[0].seq <= p.seq {
			live.pieces = live.pieces[1:]
		}
	}
	r.full = r.full || b.full
	if b.full {
		for _, p := range b.pieces {
			r.actions[actionKey{p.step, p.node}].cropped = true
		}
	}
	r.pending -= b.bytes
	r.room.Broadcast()
}

// write is flush inside of a transaction, for a job that is still ours.
func (r *report) write(ctx context.Context, tx *database.Tx) error {
	ours, err := holding(ctx, tx, r.build)
	if err != nil {
		return err
	}
	if !ours {
		return errLeaseLost
	}
	b := r.collect()
	for _, a := range b.actions {
		if err := putAction(ctx, tx, a); err != nil {
			return err
		}
	}
	if b.full, err = r.keep(ctx, tx, b.pieces); err != nil {
		return err
	}
	id := r.build.ID
	tx.OnCommit(func() { r.settled(b); r.s.queue.changed(id) })
	return nil
}

// keep writes pieces. When the project has no room for them, the first of each
// step becomes a note that says so and the others are left out.
func (r *report) keep(ctx context.Context, tx *database.Tx, pieces []piece) (full bool, err error) {
	if len(pieces) == 0 {
		return false, nil
	}
	pack := func(list []piece) (bytes int64) {
		for i := range list {
			list[i].packed = s2.Encode(nil, list[i].packed)
			bytes += int64(len(list[i].packed))
		}
		return bytes
	}
	kept := slices.Clone(pieces)
	most, bytes := r.s.config.OutputBytes, pack(kept)
	used, err := addOutput(ctx, tx, r.build.RepoID, bytes)
	if err != nil {
		return false, err
	}
	if full = used > most; full {
		kept = r.notes(pieces, used-bytes)
		if _, err := addOutput(ctx, tx, r.build.RepoID, pack(kept)-bytes); err != nil {
			return false, err
		}
	}
	for _, p := range kept {
		if err := insertPiece(ctx, tx, r.build.ID, p); err != nil {
			return false, err
		}
	}
	return full, nil
}

// notes are what is written instead of pieces, once for each step.
func (r *report) notes(pieces []piece, used int64) (list []piece) {
	r.mu.Lock()
	defer r.mu.Unlock()
	noted := map[actionKey]bool{}
	for _, p := range pieces {
		key := actionKey{p.step, p.node}
		if noted[key] || r.actions[key].cropped {
			continue
		}
		noted[key] = true
		p.packed = fmt.Appendf(nil, "\nNo more output is kept: the project keeps %d of at most %d bytes of output (output_bytes).\n",
			used, r.s.config.OutputBytes)
		p.size = len(p.packed)
		list = append(list, p)
	}
	return list
}

// finish ends the loop; what is left is written with the job's end.
func (r *report) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.over:
	default:
		close(r.over)
	}
}

// abort lets nobody wait for room any more.
func (r *report) abort() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	r.room.Broadcast()
}

func (r *report) reasonOf(node int) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reasons[node]
}

// nodeReport hears one node.
type nodeReport struct {
	*report
	node int
}

var _ execute.Reporter = (*nodeReport)(nil)

// StepStarted implements execute.Reporter.
func (n *nodeReport) StepStarted(_ context.Context, st execute.StepStart) error {
	n.put(Action{
		BuildID: n.build.ID, Step: firstStep + st.Step, Node: n.node, Name: firstLine(st.Name), Kind: actionKind(string(st.Kind)),
		Command: st.Command, Status: ActionRunning, StartedAt: n.s.now(), Background: st.Background,
	})
	return nil
}

// Output implements execute.Reporter.
func (n *nodeReport) Output(ctx context.Context, step int, kind string, p []byte) error {
	return n.output(ctx, actionKey{firstStep + step, n.node}, kind, p)
}

// StepEnded implements execute.Reporter.
func (n *nodeReport) StepEnded(_ context.Context, e execute.StepEnd) error {
	n.mu.Lock()
	live := n.actions[actionKey{firstStep + e.Step, n.node}]
	if live == nil {
		n.mu.Unlock()
		return fmt.Errorf("step %d ended before it started", e.Step)
	}
	a := live.Action
	if e.Reason != "" && n.reasons[n.node] == "" && e.Outcome != execute.Success {
		n.reasons[n.node] = e.Reason
	}
	n.mu.Unlock()
	a.EndedAt, a.Truncated, a.Status = n.s.now(), e.Truncated, stepStatus(e.Outcome)
	if e.Code >= 0 {
		code := int64(e.Code)
		a.ExitCode = &code
	}
	n.put(a)
	return nil
}

func stepStatus(o execute.Outcome) ActionStatus {
	if o == execute.Success {
		return ActionSuccess
	}
	return actionStatus(outcomeOf(o))
}

// actionKind is the contract's sort of a step. Nearly all are test, which is
// what the public service says too.
func actionKind(kind string) string {
	if kind == "checkout" {
		return kind
	}
	return "test"
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if len(line) > 200 {
		line = strings.ToValidUTF8(line[:200], "") + "…"
	}
	return line
}
