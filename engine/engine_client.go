package engine

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrBusy means that the queue is full.
var ErrBusy = errors.New("engine: the queue is full")

// errClosed means that the server stops.
var errClosed = errors.New("engine: the client is closed")

// Options configure a Client.
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
	// NewTimer starts a timer; stop ends one that has not fired.
	NewTimer func(d time.Duration) (fired <-chan time.Time, stop func() bool)
}

// Client asks one model. The program behind it is started by the first call that
// needs it, again after it has died, and stopped when it is idle.
type Client struct {
	o Options

	mu sync.Mutex
	// current is the program that runs, or is being started; nil is none.
	current *launch
	// inFlight is how many calls the engine works for, whether or not their
	// callers still wait.
	inFlight int
	// queued is how many of them are prompts and texts to embed, which the engine
	// takes one at a time.
	queued int
	closed bool
	// watchers are the goroutines that start and watch programs.
	watchers sync.WaitGroup
}

// NewClient makes a Client. It starts nothing.
func NewClient(o Options) *Client { return &Client{o: o} }

// acquire counts a call, takes a place in the queue if it needs one (places is 1,
// else 0), and waits until the program runs. When it returns a launch, release
// must be called once the engine is done.
func (c *Client) acquire(ctx context.Context, places int) (*launch, error) {
	l, err := c.enqueue(places)
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
		c.release(l, places)
		return nil, err
	}
	signal(l.child.used)
	return l, nil
}

func (c *Client) enqueue(places int) (*launch, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errClosed
	}
	if places > 0 && c.queued >= c.o.Queue {
		return nil, ErrBusy
	}
	if c.current == nil || c.current.failed() {
		l := &launch{ready: make(chan struct{})}
		c.current = l
		c.watchers.Go(func() { c.run(l) })
	}
	c.inFlight++
	c.queued += places
	return c.current, nil
}

func (c *Client) release(l *launch, places int) {
	c.mu.Lock()
	c.inFlight--
	c.queued -= places
	p := l.child
	c.mu.Unlock()
	if p != nil {
		signal(p.used)
	}
}

// Info loads the model if need be and describes it.
func (c *Client) Info(ctx context.Context) (Info, error) {
	l, err := c.acquire(ctx, 0)
	if err != nil {
		return Info{}, err
	}
	c.release(l, 0)
	return l.info, nil
}

// Generate asks for one answer and hands over its pieces. It ends with ctx, and
// then the engine stops before its next token.
func (c *Client) Generate(ctx context.Context, prompt Prompt, emit func(Piece) error) (Done, error) {
	var done Done
	err := c.call(ctx, request{Prompt: &prompt}, prompt.MaxTokens+2, func(r reply) error {
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
func (c *Client) Count(ctx context.Context, texts []string) (counts []int, err error) {
	if len(texts) == 0 {
		return nil, nil
	}
	err = c.call(ctx, request{Count: texts}, 1, func(r reply) error { counts = r.Counts; return nil })
	if err == nil && len(counts) != len(texts) {
		err = errors.New("engine: the engine program miscounted")
	}
	return counts, err
}

// Embed gives a vector for each text.
func (c *Client) Embed(ctx context.Context, texts []string) (vectors [][]float32, err error) {
	err = c.call(ctx, request{Embed: texts}, 1, func(r reply) error { vectors = r.Vectors; return nil })
	return vectors, err
}

// Score gives, for each pair, the logarithm of the probability of its text after its
// prefix.
func (c *Client) Score(ctx context.Context, pairs []Score) (scores []float64, err error) {
	err = c.call(ctx, request{Score: pairs}, 1, func(r reply) error { scores = r.Scores; return nil })
	if err == nil && len(scores) != len(pairs) {
		err = errors.New("engine: a score is missing")
	}
	return scores, err
}

// call sends a request and sees its replies, of which there are at most
// maxReplies, until the last or until ctx ends.
func (c *Client) call(ctx context.Context, r request, maxReplies int, see func(reply) error) error {
	places := 1
	if r.Count != nil {
		places = 0
	}
	l, err := c.acquire(ctx, places)
	if err != nil {
		return err
	}
	p := l.child
	number, call, err := p.send(r, maxReplies, func() { c.release(l, places) })
	if err != nil {
		c.release(l, places)
		return err
	}
	for {
		select {
		case <-ctx.Done():
			p.cancel(number)
			return context.Cause(ctx)
		case reply, ok := <-call.replies:
			if !ok {
				<-p.exited
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
