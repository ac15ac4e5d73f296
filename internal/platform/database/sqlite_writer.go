package database

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"stoa.dev/stoa/internal/platform/database/commitcount"
	"stoa.dev/stoa/internal/platform/database/pacing"
)

// maxBatch bounds how many transactions share a commit, so that the first of
// them does not wait for too many others.
const maxBatch = 256

// writer owns the only SQLite connection that writes. Its goroutine takes
// whatever is queued, runs it, commits once and answers; see group_commit.go.
type writer struct {
	conn  txConn
	pacer pacing.Pacer
	time  pacing.BatchTime

	mu      sync.Mutex
	pending []*request
	closed  bool
	wake    chan struct{} // holds a token when pending may not be empty
	ended   chan struct{} // closed when the goroutine is gone

	guard int // how many of the next batches run with savepoints

	transactions, commits, largest atomic.Int64
	counter                        commitcount.Counter
}

// request is one call of Write.
type request struct {
	ctx   context.Context
	fn    func(*Tx) error
	hold  func(whole bool) error // instead of fn
	state atomic.Int32           // queued, then taken or withdrawn
	done  chan struct{}

	// Written by the writer before done, read by the caller after it.
	end   ending
	hooks []func()
}

// The states of a request. Writer and caller race from queued with one
// compare-and-swap, so that a transaction is either run or given up.
const (
	queued int32 = iota
	taken
	withdrawn
)

func openWriter(path string, o Options) (*writer, error) {
	sync := "synchronous(FULL)"
	if o.NoSync {
		sync = "synchronous(OFF)"
	}
	c, err := openSQLiteConn(path, "journal_mode(WAL)", sync, "wal_autocheckpoint(4000)", "journal_size_limit(67108864)",
		"cache_size(-8000)",
		// What a savepoint may have to take back is kept in memory: in a file it
		// was most of what a batch of transactions wrote.
		"temp_store(MEMORY)")
	if err != nil {
		return nil, err
	}
	return startWriter(c, o), nil
}

func startWriter(c txConn, o Options) *writer {
	w := &writer{
		conn:  c,
		pacer: pacing.Pacer{Clock: o.Pace, MaxBatch: maxBatch},
		time:  pacing.BatchTime{Log: o.Log},
		wake:  make(chan struct{}, 1),
		ended: make(chan struct{}),
	}
	go w.loop(nil)
	return w
}

// write queues fn and waits for its durable end. A context that ends while the
// request is still queued withdraws it; later it no longer matters, because
// the caller has to learn what became of the transaction.
func (w *writer) write(ctx context.Context, fn func(*Tx) error) error {
	return w.await(&request{ctx: ctx, fn: fn, done: make(chan struct{})})
}

func (w *writer) await(r *request) error {
	ctx := r.ctx
	if !w.enqueue(r) {
		return ErrClosed
	}
	select {
	case <-r.done:
	case <-ctx.Done():
		if r.state.CompareAndSwap(queued, withdrawn) {
			return ctx.Err()
		}
		<-r.done
	}
	switch {
	case r.end.exited:
		// fn asked for the end of its goroutine; it meant the caller's.
		runtime.Goexit()
	case r.end.panicked != nil:
		panic(r.end.panicked)
	case r.end.err != nil:
		return r.end.err
	}
	for _, hook := range r.hooks {
		hook()
	}
	return nil
}

func (w *writer) enqueue(r *request) bool {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return false
	}
	w.pending = append(w.pending, r)
	first := len(w.pending) == 1
	w.mu.Unlock()
	if first {
		w.signal()
	}
	return true
}

func (w *writer) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// loop is the writer goroutine. again holds requests that have to run again, each for itself.
func (w *writer) loop(again []*request) {
	var current batch
	defer func() {
		// A transaction function may end this goroutine (testing's FailNow
		// does). Another one goes on with the rest of its batch.
		if current.exited {
			go w.loop(append(w.abandon(&current), again...))
			return
		}
		close(w.ended)
	}()
	for {
		if len(again) > 0 {
			current = batch{requests: again[:1]}
			again = again[1:]
		} else if current = (batch{requests: w.next()}); current.requests == nil {
			return
		}
		begin := w.pacer.Clock.Now()
		again = append(w.runBatch(&current), again...)
		w.time.Add(w.pacer.Clock.Now().Sub(begin), len(current.requests))
	}
}

// next waits for requests; nil means that the writer is closed and has nothing
// left to do.
func (w *writer) next() []*request {
	w.pacer.Gather(w.waiting)
	for {
		w.mu.Lock()
		if n := batchSize(w.pending); n > 0 {
			requests := w.pending[:n:n]
			w.pending = w.pending[n:]
			if len(w.pending) == 0 {
				w.pending = nil
			}
			w.mu.Unlock()
			w.pacer.Serving(n)
			return requests
		}
		closed := w.closed
		w.mu.Unlock()
		if closed {
			return nil
		}
		<-w.wake
	}
}

// batchSize is how many of the requests run together: one that holds the files
// runs alone.
func batchSize(pending []*request) int {
	n := min(len(pending), maxBatch)
	if at := slices.IndexFunc(pending[:n], func(r *request) bool { return r.hold != nil }); at >= 0 {
		return max(at, 1)
	}
	return n
}

func (w *writer) waiting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.pending)
}

func (w *writer) stats() Stats {
	return Stats{
		Transactions: w.transactions.Load(),
		Commits:      w.commits.Load(),
		LargestBatch: w.largest.Load(),
		Queued:       int64(w.waiting()),
		Writing:      w.time.Total(),
	}
}

// close lets the queue run empty, then closes the connection.
func (w *writer) close() error {
	w.mu.Lock()
	already := w.closed
	w.closed = true
	w.mu.Unlock()
	if already {
		<-w.ended
		return nil
	}
	w.signal()
	<-w.ended
	return w.conn.close()
}
