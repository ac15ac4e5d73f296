package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

const (
	// flushInterval is how long output waits at most before others can read it.
	flushInterval = 150 * time.Millisecond
	// flushSize makes it wait no longer, maxPending makes the job wait instead.
	flushSize  = 512 << 10
	maxPending = 4 << 20
	// firstStep is the number of a job's first step; those below are ours.
	firstStep = 101
)

// progress collects what the nodes of one job do and print, and writes it in batches: a short job costs no transaction
// in addition to those of its start and end.
type progress struct {
	r     *Runner
	build *build.Build

	mu sync.Mutex
	// flushed is signaled when less is pending.
	flushed *sync.Cond
	actions map[actionKey]*openAction
	order   []actionKey
	pending int
	reasons map[int]string
	// full is set when the project keeps as much output as it may.
	full bool
	// stopped is set when nothing will be read any more.
	stopped bool
	// tests counts the reports of each node.
	tests map[int]int64

	kick chan struct{}
	over chan struct{}
}

type actionKey struct{ step, node int }

// openAction is a step with what was not written yet.
type openAction struct {
	build.Action
	dirty bool
	// cropped is set when the output says that no more of it is kept.
	cropped bool
	seq     int64
	pieces  []build.Piece
	// tail is the piece that still grows.
	tail     []byte
	tailKind string
}

func newProgress(r *Runner, b *build.Build) *progress {
	p := &progress{
		r: r, build: b, actions: map[actionKey]*openAction{}, reasons: map[int]string{}, tests: map[int]int64{},
		kick: make(chan struct{}, 1), over: make(chan struct{}),
	}
	p.flushed = sync.NewCond(&p.mu)
	return p
}

// place says where the programs of a job run.
func (r *Runner) place(t execute.Task) string {
	switch {
	case r.cluster != nil:
		return "Programs run in a pod of their own, image " + r.config.Kubernetes.ImageOf(&t.Job) + ".\n" +
			"Processes, /tmp and the network are bounded by the cluster, not by pipelines.limits."
	case r.sandbox.Confined():
		return "Programs run in a sandbox of their own."
	default:
		return "Programs run with the rights of the server (executor: host)."
	}
}

// spinUp is a step of ours, which says what the job runs on.
func (p *progress) spinUp(ctx context.Context, t execute.Task, place string) {
	text := fmt.Sprintf("Job %s on %d node(s), revision %s\n", t.Job.Name, t.Nodes, p.build.Revision)
	text += place + "\n"
	if len(t.Job.Notes) > 0 {
		text += "What the configuration asks for and has no effect here:\n"
		for _, note := range t.Job.Notes {
			text += "  " + note + "\n"
		}
	}
	at := p.r.now()
	p.put(build.Action{
		BuildID: p.build.ID, Name: "Spin up environment", Kind: "infrastructure", Status: build.ActionSuccess,
		StartedAt: at, EndedAt: at,
	})
	// Nothing is pending yet, so this does not wait.
	_ = p.output(ctx, actionKey{}, "out", []byte(text))
}

func (p *progress) put(a build.Action) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := actionKey{a.Step, a.Node}
	action := p.actions[key]
	if action == nil {
		action = &openAction{}
		p.actions[key] = action
		p.order = append(p.order, key)
	}
	a.OutputSize = action.OutputSize
	action.Action, action.dirty = a, true
}

// output takes bytes of a step, and waits while too many are unwritten.
func (p *progress) output(ctx context.Context, key actionKey, kind string, text []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.pending > maxPending && !p.stopped {
		p.flushed.Wait()
	}
	action := p.actions[key]
	if p.stopped || action == nil {
		return context.Cause(ctx)
	}
	if p.full && action.cropped {
		return nil
	}
	action.OutputSize += int64(len(text))
	action.dirty = true
	p.pending += len(text)
	for len(text) > 0 {
		if action.tailKind != kind || len(action.tail) >= build.MaxPiece {
			action.cut(p.r.now())
			action.tailKind = kind
		}
		n := min(len(text), build.MaxPiece-len(action.tail))
		action.tail = append(action.tail, text[:n]...)
		text = text[n:]
	}
	if p.pending >= flushSize {
		select {
		case p.kick <- struct{}{}:
		default:
		}
	}
	return nil
}

// cut ends the piece that grows.
func (a *openAction) cut(now time.Time) {
	if len(a.tail) == 0 {
		return
	}
	a.seq++
	a.pieces = append(a.pieces, build.Piece{
		Step: a.Step, Node: a.Node, Seq: a.seq, Kind: a.tailKind, At: now, Size: len(a.tail), Packed: a.tail,
	})
	a.tail = nil
}

// loop writes what is pending, every now and then.
func (p *progress) loop(ctx context.Context) {
	var since time.Time // when writing began to fail
	for {
		timer := p.r.machine.NewTimer(flushInterval)
		select {
		case <-p.over:
			timer.Stop()
			return
		case <-p.kick:
		case <-timer.C:
		}
		timer.Stop()
		if cause := p.giveUp(ctx, p.flush(ctx), &since); cause != nil {
			// What the job does from here on is not written any more.
			p.r.queue.halt(p.build.ID, cause)
			p.abort()
			return
		}
	}
}

// giveUp is why a run has to end after a write, nil while it goes on. A database that is away for a moment costs
// nothing: what is pending is written when it is back. When it stays away longer than the lease, the job is as good as
// lost.
func (p *progress) giveUp(ctx context.Context, err error, since *time.Time) error {
	switch now := p.r.machine.Now(); {
	case err == nil:
		*since = time.Time{}
	case errors.Is(err, build.ErrLeaseLost):
		return execute.ErrCanceled
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case since.IsZero():
		*since = now
		p.r.log.LogAttrs(ctx, slog.LevelWarn, "output of job not written, trying again",
			slog.Int64("job", p.build.ID), slog.Any("error", err))
	case now.Sub(*since) >= p.r.config.Lease:
		return errUnwritten
	}
	return nil
}

// flush writes in a transaction of its own, if there is anything.
func (p *progress) flush(ctx context.Context) error {
	p.mu.Lock()
	idle := p.pending == 0 && !p.anyDirty()
	p.mu.Unlock()
	if idle {
		return nil
	}
	return p.r.change(ctx, p.build.RepoID, p.write)
}

func (p *progress) anyDirty() bool {
	for _, action := range p.actions {
		if action.dirty {
			return true
		}
	}
	return false
}

// batch is what one transaction writes.
type batch struct {
	actions []build.Action
	pieces  []build.Piece
	bytes   int
	// full is set when the project may not keep the pieces.
	full bool
}

// collect takes what is unwritten without forgetting it: the transaction may have to run again.
func (p *progress) collect() batch {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b batch
	for _, key := range p.order {
		action := p.actions[key]
		if !action.dirty && len(action.pieces) == 0 && len(action.tail) == 0 {
			continue
		}
		action.cut(p.r.now())
		b.actions = append(b.actions, action.Action)
		b.pieces = append(b.pieces, action.pieces...)
		for _, piece := range action.pieces {
			b.bytes += piece.Size
		}
	}
	return b
}

// written forgets what has become durable.
func (p *progress) written(b batch) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range b.actions {
		action := p.actions[actionKey{a.Step, a.Node}]
		action.dirty = action.Action != a
	}
	for _, piece := range b.pieces {
		action := p.actions[actionKey{piece.Step, piece.Node}]
		for len(action.pieces) > 0 && action.pieces[0].Seq <= piece.Seq {
			action.pieces = action.pieces[1:]
		}
		action.cropped = action.cropped || b.full
	}
	p.full = p.full || b.full
	p.pending -= b.bytes
	p.flushed.Broadcast()
}

// write is flush inside of a transaction, for a job that is still ours.
func (p *progress) write(ctx context.Context, tx *database.Tx) error {
	ours, err := isHeld(ctx, tx, p.build)
	if err != nil {
		return err
	}
	if !ours {
		return build.ErrLeaseLost
	}
	b := p.collect()
	for _, a := range b.actions {
		if err := build.UpsertAction(ctx, tx, a); err != nil {
			return err
		}
	}
	if b.full, err = p.insertPieces(ctx, tx, b.pieces); err != nil {
		return err
	}
	id := p.build.ID
	tx.OnCommit(func() { p.written(b); p.r.queue.changed(id) })
	return nil
}

// insertPieces writes pieces. When the project may not keep them, the first of each step becomes a note that says so
// and the others are left out.
func (p *progress) insertPieces(ctx context.Context, tx *database.Tx, pieces []build.Piece) (full bool, err error) {
	if len(pieces) == 0 {
		return false, nil
	}
	pack := func(list []build.Piece) (bytes int64) {
		for i := range list {
			list[i].Packed = build.Pack(list[i].Packed)
			bytes += int64(len(list[i].Packed))
		}
		return bytes
	}
	kept := slices.Clone(pieces)
	bytes := pack(kept)
	used, err := build.AddOutput(ctx, tx, p.build.RepoID, bytes)
	if err != nil {
		return false, err
	}
	if full = used > p.r.config.OutputBytes; full {
		kept = p.notes(pieces, used-bytes)
		if _, err := build.AddOutput(ctx, tx, p.build.RepoID, pack(kept)-bytes); err != nil {
			return false, err
		}
	}
	var twice int64 // bytes that were written and counted before
	for _, piece := range kept {
		fresh, err := build.InsertPiece(ctx, tx, p.build.ID, piece)
		if err != nil {
			return false, err
		}
		if !fresh {
			twice += int64(len(piece.Packed))
		}
	}
	if twice > 0 {
		_, err = build.AddOutput(ctx, tx, p.build.RepoID, -twice)
	}
	return full, err
}

// notes are what is written instead of pieces, once for each step.
func (p *progress) notes(pieces []build.Piece, used int64) (list []build.Piece) {
	p.mu.Lock()
	defer p.mu.Unlock()
	noted := map[actionKey]bool{}
	for _, piece := range pieces {
		key := actionKey{piece.Step, piece.Node}
		if noted[key] || p.actions[key].cropped {
			continue
		}
		noted[key] = true
		piece.Packed = fmt.Appendf(nil,
			"\nNo more output is kept: the project keeps %d of at most %d bytes of output (output_bytes).\n",
			used, p.r.config.OutputBytes)
		piece.Size = len(piece.Packed)
		list = append(list, piece)
	}
	return list
}

// finish ends the loop; what is left is written with the job's end.
func (p *progress) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.over:
	default:
		close(p.over)
	}
}

// abort ends every wait for a flush.
func (p *progress) abort() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	p.flushed.Broadcast()
}

func (p *progress) reasonOf(node int) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reasons[node]
}

// nextReport numbers a report of tests of a node.
func (p *progress) nextReport(node int) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tests[node]++
	return p.tests[node]
}

// nodeProgress is the progress of one node.
type nodeProgress struct {
	*progress
	node int
}

var _ execute.Reporter = (*nodeProgress)(nil)

// StepStarted implements execute.Reporter.
func (n *nodeProgress) StepStarted(_ context.Context, s execute.StepStart) error {
	n.put(build.Action{
		BuildID: n.build.ID, Step: firstStep + s.Step, Node: n.node, Name: firstLine(s.Name),
		Kind: actionKind(string(s.Kind)), Command: s.Command, Status: build.ActionRunning,
		StartedAt: n.r.now(), Background: s.Background,
	})
	return nil
}

// Output implements execute.Reporter.
func (n *nodeProgress) Output(ctx context.Context, step int, kind string, text []byte) error {
	return n.output(ctx, actionKey{firstStep + step, n.node}, kind, text)
}

// StepEnded implements execute.Reporter.
func (n *nodeProgress) StepEnded(_ context.Context, e execute.StepEnd) error {
	n.mu.Lock()
	action := n.actions[actionKey{firstStep + e.Step, n.node}]
	if action == nil {
		n.mu.Unlock()
		return fmt.Errorf("step %d ended before it started", e.Step)
	}
	a := action.Action
	if e.Reason != "" && n.reasons[n.node] == "" && e.Outcome != execute.Success {
		n.reasons[n.node] = e.Reason
	}
	n.mu.Unlock()
	a.EndedAt, a.Truncated, a.Status = n.r.now(), e.Truncated, actionStatus(outcomeOf(e.Outcome))
	if e.Code >= 0 {
		code := int64(e.Code)
		a.ExitCode = &code
	}
	n.put(a)
	return nil
}

// actionKind is the contract's type of a step. Nearly all are test, which is what the public service says too.
func actionKind(kind string) string {
	if kind == "checkout" {
		return kind
	}
	return "test"
}

// maxStepName bounds the name of a step.
const maxStepName = 200

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return wire.Clip(line, maxStepName)
}
