package llama

import (
	"context"
	"errors"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// ErrBusy means that as many prompts wait as may.
var ErrBusy = errors.New("llama: the queue is full")

// Options shape an Engine.
type Options struct {
	// Program finds the engine program, Load says what it opens. Both are asked
	// whenever the program is started.
	Program func() (string, error)
	Load    func() (Load, error)
	// Queue is how many prompts may be under way, the one being answered among
	// them.
	Queue int
	// Idle is how long an engine without work keeps its memory.
	Idle time.Duration
	// Clock times that; it is the machine's.
	Clock clock.Clock
}

// Engine answers with one model. The program behind it is started by the first
// call that needs it, again after it has died, and stopped when it is idle.
type Engine struct {
	o Options

	mu sync.Mutex
	// current is the program that runs, or is on its way; nil is none.
	current *launch
	// under is how many calls the engine works for, whether or not their
	// callers still wait.
	under int
	// turns is how many of them are prompts and texts to embed, which take turns.
	turns  int
	closed bool
	// tending are the goroutines that start and watch programs.
	tending sync.WaitGroup
}

// launch is a program from its start on. Loading a model takes seconds, so
// nobody holds a lock meanwhile.
type launch struct {
	// child is set as soon as there is a process, for Close.
	child *process
	// ready is closed when the model is loaded or err is set; info is valid then.
	ready chan struct{}
	info  Info
	err   error
}

// over tells that the launch, or the program after it, has failed.
func (l *launch) over() bool {
	select {
	case <-l.ready:
		return l.err != nil || l.child.failure() != nil
	default:
		return false
	}
}

// New makes an Engine. It starts nothing.
func New(o Options) *Engine { return &Engine{o: o} }

// errClosed means that the server stops.
var errClosed = errors.New("llama: the engine is closed")

// enter takes a place in the queue, if the call takes a turn (1, else 0), and
// waits until the program runs. When it returns a launch, leave must be called
// once the engine is done.
func (e *Engine) enter(ctx context.Context, turn int) (*launch, error) {
	l, err := e.place(turn)
	if err != nil {
		return nil, err
	}
	select {
	case <-l.ready:
		err = l.err
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		e.leave(l, turn)
		return nil, err
	}
	poke(l.child.used)
	return l, nil
}

func (e *Engine) place(turn int) (*launch, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, errClosed
	}
	if turn > 0 && e.turns >= e.o.Queue {
		return nil, ErrBusy
	}
	if e.current == nil || e.current.over() {
		l := &launch{ready: make(chan struct{})}
		e.current = l
		e.tending.Go(func() { e.tend(l) })
	}
	e.under++
	e.turns += turn
	return e.current, nil
}

// tend starts a program, loads the model, and watches until it ends.
func (e *Engine) tend(l *launch) {
	l.err = e.start(l)
	close(l.ready)
	if l.err == nil {
		e.watch(l)
	} else if l.child != nil {
		l.child.kill()
	}
}

func (e *Engine) start(l *launch) error {
	program, err := e.o.Program()
	if err != nil {
		return err
	}
	load, err := e.o.Load()
	if err != nil {
		return err
	}
	p, err := e.child(l, program)
	if err != nil {
		return err
	}
	_, c, err := p.send(request{Load: &load}, 1, func() {})
	if err != nil {
		return err
	}
	r, ok := <-c.replies
	switch {
	case !ok:
		<-p.gone
		return p.failure()
	case r.Refusal != nil:
		return r.Refusal
	case r.Info == nil:
		return errors.New("llama: the engine program sent something that is not an answer")
	}
	l.info = *r.Info
	return nil
}

// child runs the program, unless the engine is closed: Close ends what it finds
// here, also while the model loads.
func (e *Engine) child(l *launch, program string) (*process, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, errClosed
	}
	var err error
	l.child, err = start(program)
	return l.child, err
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (e *Engine) leave(l *launch, turn int) {
	e.mu.Lock()
	e.under--
	e.turns -= turn
	p := l.child
	e.mu.Unlock()
	if p != nil {
		poke(p.used)
	}
}

// watch ends a program that nobody has used for a while.
func (e *Engine) watch(l *launch) {
	p := l.child
	for {
		timer := e.o.Clock.NewTimer(e.o.Idle)
		select {
		case <-p.gone:
			timer.Stop()
			return
		case <-p.used:
			timer.Stop()
		case <-timer.C:
			if e.retire(l) {
				<-p.gone
				return
			}
		}
	}
}

func (e *Engine) retire(l *launch) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.under > 0 {
		return false
	}
	if e.current == l {
		e.current = nil
	}
	l.child.end()
	return true
}

// Close ends the program, also one that is still loading. Calls under way fail.
func (e *Engine) Close() {
	e.mu.Lock()
	e.closed = true
	var p *process
	if e.current != nil {
		p = e.current.child
	}
	e.mu.Unlock()
	if p != nil {
		p.kill()
	}
	e.tending.Wait()
}

// Running reports whether the model is in memory.
func (e *Engine) Running() bool {
	e.mu.Lock()
	l := e.current
	e.mu.Unlock()
	if l == nil || l.over() {
		return false
	}
	select {
	case <-l.ready:
		return true
	default:
		return false
	}
}

// Info loads the model if need be and tells about it.
func (e *Engine) Info(ctx context.Context) (Info, error) {
	l, err := e.enter(ctx, 0)
	if err != nil {
		return Info{}, err
	}
	e.leave(l, 0)
	return l.info, nil
}

// Generate asks for one answer and hands over its pieces. It ends with ctx, and
// then the engine stops before its next token.
func (e *Engine) Generate(ctx context.Context, prompt Prompt, emit func(Piece) error) (Done, error) {
	var done Done
	err := e.call(ctx, request{Prompt: &prompt}, prompt.MaxTokens+2, func(r reply) error {
		if r.Piece != nil {
			return emit(*r.Piece)
		}
		if r.Done != nil {
			done = *r.Done
		}
		return nil
	})
	return done, err
}

// Count gives the number of tokens of each text.
func (e *Engine) Count(ctx context.Context, texts []string) (counts []int, err error) {
	if len(texts) == 0 {
		return nil, nil
	}
	err = e.call(ctx, request{Count: texts}, 1, func(r reply) error { counts = r.Counts; return nil })
	if err == nil && len(counts) != len(texts) {
		err = errors.New("llama: the engine program miscounted")
	}
	return counts, err
}

// Embed gives a vector for each text.
func (e *Engine) Embed(ctx context.Context, texts []string) (vectors [][]float32, err error) {
	err = e.call(ctx, request{Embed: texts}, 1, func(r reply) error { vectors = r.Vectors; return nil })
	return vectors, err
}

// call sends a request and sees its replies, until the last or until ctx ends.
func (e *Engine) call(ctx context.Context, r request, room int, see func(reply) error) error {
	turn := 1
	if r.Count != nil {
		turn = 0
	}
	l, err := e.enter(ctx, turn)
	if err != nil {
		return err
	}
	p := l.child
	number, c, err := p.send(r, room, func() { e.leave(l, turn) })
	if err != nil {
		e.leave(l, turn)
		return err
	}
	for {
		select {
		case <-ctx.Done():
			p.cancel(number)
			return context.Cause(ctx)
		case reply, ok := <-c.replies:
			if !ok {
				<-p.gone
				return p.failure()
			}
			if reply.Refusal != nil {
				return reply.Refusal
			}
			if err := see(reply); err != nil {
				if reply.Piece != nil {
					p.cancel(number)
				}
				return err
			}
			if reply.Piece == nil {
				return nil
			}
		}
	}
}
