package engine_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"stoa.dev/stoa/engine"
	"stoa.dev/stoa/engine/enginetest"
)

func TestMain(m *testing.M) {
	enginetest.Main()
	goleak.VerifyTestMain(m)
}

// realTimer is a timer of the machine's clock.
func realTimer(d time.Duration) (<-chan time.Time, func() bool) {
	t := time.NewTimer(d)
	return t.C, t.Stop
}

// newClient is a Client whose program is the fake.
func newClient(t *testing.T, queue int) *engine.Client {
	t.Helper()
	c := engine.NewClient(options(t, "w", queue))
	t.Cleanup(c.Close)
	return c
}

func options(t *testing.T, weights string, queue int) engine.Options {
	t.Helper()
	program := enginetest.Program(t)
	return engine.Options{
		Program: func() (string, error) { return program, nil },
		Load:    func() (engine.Load, error) { return engine.Load{Weights: weights, Context: 50}, nil },
		Queue:   queue, Idle: time.Hour, NewTimer: realTimer,
	}
}

func ask(text string) engine.Prompt {
	return engine.Prompt{Messages: []engine.Message{{Role: "user", Content: text}}, MaxTokens: 100}
}

func TestClient(t *testing.T) {
	t.Parallel()
	c := newClient(t, 4)
	ctx := context.Background()
	if c.Running() {
		t.Fatal("the program runs before its first use")
	}
	info, err := c.Info(t.Context())
	if err != nil || info.Width != 4 || info.Context != 50 {
		t.Fatalf("Info = %+v, %v", info, err)
	}
	var said []string
	done, err := c.Generate(ctx, ask("say one two three"), func(p engine.Piece) error { said = append(said, p.Text); return nil })
	if err != nil || strings.Join(said, "|") != "one |two |three" || done.Ending != engine.EndTurn || done.Answer != 3 {
		t.Fatalf("Generate = %q %+v %v", said, done, err)
	}
	counts, err := c.Count(ctx, []string{"a b c", "", "a"})
	if err != nil || len(counts) != 3 || counts[0] != 3 || counts[1] != 0 {
		t.Fatalf("Count = %v, %v", counts, err)
	}
	vectors, err := c.Embed(ctx, []string{"a", "b"})
	if err != nil || len(vectors) != 2 || len(vectors[0]) != 4 {
		t.Fatalf("Embed = %v, %v", vectors, err)
	}
	var refusal *engine.Refusal
	if _, err := c.Generate(ctx, ask("refuse"), nil); !errors.As(err, &refusal) || !refusal.Caller {
		t.Fatalf("a refused prompt = %v, want a refusal of the caller's", err)
	}
}

// TestACrashCostsOneAnswer ends the program under an answer and asks again.
func TestACrashCostsOneAnswer(t *testing.T) {
	t.Parallel()
	c := newClient(t, 4)
	_, err := c.Generate(context.Background(), ask("crash"), func(engine.Piece) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "asked to crash") {
		t.Fatalf("err = %v, want what the program printed last", err)
	}
	if _, err := c.Generate(context.Background(), ask("say hello"), func(engine.Piece) error { return nil }); err != nil {
		t.Fatalf("the next answer: %v", err)
	}
}

func TestTheQueueIsBounded(t *testing.T) {
	t.Parallel()
	c := newClient(t, 1)
	ctx, cancel := context.WithCancel(context.Background())
	began := make(chan struct{}, 1)
	ended := make(chan error, 1)
	endless := ask("go on")
	endless.MaxTokens = 1 << 20
	go func() {
		_, err := c.Generate(ctx, endless, func(engine.Piece) error {
			select {
			case began <- struct{}{}:
			default:
			}
			return nil
		})
		ended <- err
	}()
	<-began
	if _, err := c.Generate(context.Background(), ask("say late"), nil); !errors.Is(err, engine.ErrBusy) {
		t.Fatalf("the second = %v, want ErrBusy", err)
	}
	// Counting needs no turn.
	if _, err := c.Count(context.Background(), []string{"word"}); err != nil {
		t.Fatalf("counting meanwhile: %v", err)
	}
	// A caller that leaves frees its place: the engine stops before its next word.
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatalf("the first ended with %v, want context.Canceled", err)
	}
	for {
		_, err := c.Generate(context.Background(), ask("say late"), func(engine.Piece) error { return nil })
		if err == nil {
			break
		}
		if !errors.Is(err, engine.ErrBusy) {
			t.Fatalf("after the first has left: %v", err)
		}
	}
}

// TestBothDirectionsFlow sends long requests while the program says more than
// a pipe holds: neither side may wait for the other.
func TestBothDirectionsFlow(t *testing.T) {
	t.Parallel()
	c := newClient(t, 4)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	endless := ask("go on")
	endless.MaxTokens = 1 << 18
	said := make(chan struct{})
	first := sync.OnceFunc(func() { close(said) })
	var all sync.WaitGroup
	talking, stop := context.WithCancel(ctx)
	all.Go(func() {
		_, _ = c.Generate(talking, endless, func(engine.Piece) error { first(); return nil }) // it is stopped
	})
	<-said
	text := strings.Repeat("word ", 20_000)
	failed := make(chan error, 4)
	for range 4 {
		go func() {
			var err error
			for range 4 {
				if _, err = c.Count(ctx, []string{text}); err != nil {
					break
				}
			}
			failed <- err
		}()
	}
	for range 4 {
		select {
		case err := <-failed:
			if err != nil {
				t.Errorf("count: %v", err)
			}
		case <-ctx.Done():
			t.Fatal("the two sides wait for each other")
		}
	}
	stop()
	all.Wait()
}

// TestLoadingBlocksNoCall asks, leaves and closes while a model loads.
func TestLoadingBlocksNoCall(t *testing.T) {
	t.Parallel()
	c := engine.NewClient(options(t, "endless", 1))
	ctx, leave := context.WithCancel(t.Context())
	asked := make(chan error, 1)
	go func() {
		for { // the questions below may have the place for a moment
			_, err := c.Generate(ctx, ask("say one"), nil)
			if !errors.Is(err, engine.ErrBusy) {
				asked <- err
				return
			}
		}
	}()
	for { // until the first has taken the only place
		ended, end := context.WithCancel(t.Context())
		end()
		if _, err := c.Generate(ended, ask("say two"), nil); errors.Is(err, engine.ErrBusy) {
			break
		}
	}
	if c.Running() {
		t.Error("a model that loads is said to run")
	}
	leave()
	if err := <-asked; !errors.Is(err, context.Canceled) {
		t.Errorf("the caller that left got %v, want context.Canceled", err)
	}
	c.Close()
	if _, err := c.Info(t.Context()); err == nil {
		t.Error("a closed client answers")
	}
}

func TestAnIdleProgramEnds(t *testing.T) {
	t.Parallel()
	fired := make(chan time.Time)
	o := options(t, "w", 2)
	o.NewTimer = func(time.Duration) (<-chan time.Time, func() bool) { return fired, func() bool { return true } }
	c := engine.NewClient(o)
	t.Cleanup(c.Close)
	if _, err := c.Info(t.Context()); err != nil {
		t.Fatal(err)
	}
	deadline, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	for c.Running() {
		select {
		case fired <- time.Time{}:
		case <-time.After(10 * time.Millisecond): // the last one is being seen
		case <-deadline.Done():
			t.Fatal("the program still runs after its idle time")
		}
	}
	if _, err := c.Count(context.Background(), []string{"again"}); err != nil {
		t.Fatalf("after the pause: %v", err)
	}
}

func TestWhatCannotStart(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]engine.Options{
		"no program": {Program: func() (string, error) { return "", errors.New("none") }},
		"no file": {
			Program: func() (string, error) { return filepath.Join(t.TempDir(), "none"), nil },
			Load:    func() (engine.Load, error) { return engine.Load{}, nil },
		},
		"no weights": {
			Program: func() (string, error) { return "x", nil },
			Load:    func() (engine.Load, error) { return engine.Load{}, errors.New("none") },
		},
	} {
		o.Queue, o.NewTimer, o.Idle = 1, realTimer, time.Hour
		c := engine.NewClient(o)
		if _, err := c.Info(t.Context()); err == nil || c.Running() {
			t.Errorf("%s: err = %v, want one", name, err)
		}
		c.Close()
	}
	c := engine.NewClient(options(t, "unreadable", 1))
	defer c.Close()
	for range 2 {
		if _, err := c.Info(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot read") {
			t.Fatalf("err = %v, want that the weights cannot be read", err)
		}
	}
}

// TestStopMatcher compares with the whole text at once, for every way of cutting it.
func TestStopMatcher(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[abé漢 ]{0,30}`).Draw(t, "text")
		stops := rapid.SliceOfN(rapid.StringMatching(`[abé]{1,3}`), 0, 3).Draw(t, "stops")
		want, stopped, end := text, false, len(text)+1
		for _, s := range stops {
			i := strings.Index(text, s)
			if i >= 0 && (i+len(s) < end || i+len(s) == end && i < len(want)) {
				want, stopped, end = text[:i], true, i+len(s)
			}
		}
		m := engine.NewStopMatcher(stops)
		got, ended := "", false
		for rest := []byte(text); len(rest) > 0 && !ended; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			var said string
			said, ended = m.Push(rest[:n])
			got += said
			rest = rest[n:]
		}
		if !ended {
			got += m.Rest()
		}
		if got != want || ended != stopped {
			t.Fatalf("said %q (%v), want %q (%v)", got, ended, want, stopped)
		}
	})
}
