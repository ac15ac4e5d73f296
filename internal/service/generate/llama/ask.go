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

	mu      sync.Mutex
	process *process
	info    Info
	// under is how many calls the engine works for, whether or not their
	// callers still wait.
	under int
	// turns is how many of them are prompts and texts to embed, which take turns.
	turns    int
	closed   bool
	watchers sync.WaitGroup
}

// New makes an Engine. It starts nothing.
func New(o Options) *Engine { return &Engine{o: o} }

// errClosed means that the server stops.
var errClosed = errors.New("llama: the engine is closed")

// enter takes a place in the queue, if the call takes a turn (1, else 0), and makes sure that the program runs. When
// it returns a process, leave must be called once the engine is done.
func (e *Engine) enter(turn int) (*process, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, errClosed
	}
	if turn > 0 && e.turns >= e.o.Queue {
		return nil, ErrBusy
	}
	if e.process == nil || e.process.failure() != nil {
		if err := e.launch(); err != nil {
			return nil, err
		}
	}
	e.under++
	e.turns += turn
	poke(e.process.used)
	return e.process, nil
}

// launch starts the program and loads the model. It holds the lock meanwhile:
// nobody else could do anything without the model either.
func (e *Engine) launch() error {
	program, load, err := e.find()
	if err != nil {
		return err
	}
	p, err := start(program)
	if err != nil {
		return err
	}
	_, c, err := p.send(request{Load: &load}, 1, func() {})
	if err != nil {
		p.kill()
		return err
	}
	r, ok := <-c.replies
	switch {
	case !ok:
		<-p.gone
		return p.failure()
	case r.Refusal != nil:
		p.kill()
		return r.Refusal
	case r.Info == nil:
		p.kill()
		return errors.New("llama: the engine program sent something that is not an answer")
	}
	e.process, e.info = p, *r.Info
	e.watchers.Go(func() { e.watch(p) })
	return nil
}

// find looks for everything the program needs.
func (e *Engine) find() (program string, load Load, err error) {
	if program, err = e.o.Program(); err != nil {
		return "", load, err
	}
	load, err = e.o.Load()
	return program, load, err
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (e *Engine) leave(p *process, turn int) {
	e.mu.Lock()
	e.under--
	e.turns -= turn
	e.mu.Unlock()
	poke(p.used)
}

// watch ends a program that nobody has used for a while.
func (e *Engine) watch(p *process) {
	for {
		timer := e.o.Clock.NewTimer(e.o.Idle)
		select {
		case <-p.gone:
			timer.Stop()
			return
		case <-p.used:
			timer.Stop()
		case <-timer.C:
			if e.retire(p) {
				<-p.gone
				return
			}
		}
	}
}

func (e *Engine) retire(p *process) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.under > 0 {
		return false
	}
	if e.process == p {
		e.process = nil
	}
	p.end()
	return true
}

// Close ends the program. Calls under way fail.
func (e *Engine) Close() {
	e.mu.Lock()
	p := e.process
	e.process, e.closed = nil, true
	e.mu.Unlock()
	if p != nil {
		p.kill()
	}
	e.watchers.Wait()
}

// Running tells whether the model is in memory.
func (e *Engine) Running() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.process != nil && e.process.failure() == nil
}

// Info loads the model if need be and tells about it.
func (e *Engine) Info() (Info, error) {
	p, err := e.enter(0)
	if err != nil {
		return Info{}, err
	}
	e.leave(p, 0)
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.info, nil
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
	p, err := e.enter(turn)
	if err != nil {
		return err
	}
	number, c, err := p.send(r, room, func() { e.leave(p, turn) })
	if err != nil {
		e.leave(p, turn)
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
