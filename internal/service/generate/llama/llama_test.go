package llama_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/service/generate/llama"
	"stoa.dev/stoa/internal/service/generate/llama/llamatest"
)

func TestMain(m *testing.M) {
	llamatest.Main()
	goleak.VerifyTestMain(m)
}

// engine is an Engine whose program is the fake.
func engine(t *testing.T, queue int, idle time.Duration, c clock.Clock) *llama.Engine {
	t.Helper()
	program := llamatest.Program(t)
	e := llama.New(llama.Options{
		Program: func() (string, error) { return program, nil },
		Load:    func() (llama.Load, error) { return llama.Load{Weights: "w", Context: 50}, nil },
		Queue:   queue, Idle: idle, Clock: c,
	})
	t.Cleanup(e.Close)
	return e
}

func ask(text string) llama.Prompt {
	return llama.Prompt{Messages: []llama.Message{{Role: "user", Content: text}}, MaxTokens: 100}
}

func TestEngine(t *testing.T) {
	t.Parallel()
	e := engine(t, 4, time.Hour, clock.Real())
	ctx := context.Background()
	if e.Running() {
		t.Fatal("the program runs before its first use")
	}
	info, err := e.Info(t.Context())
	if err != nil || info.Width != 4 || info.Context != 50 {
		t.Fatalf("Info = %+v, %v", info, err)
	}
	var said []string
	done, err := e.Generate(ctx, ask("say one two three"), func(p llama.Piece) error { said = append(said, p.Text); return nil })
	if err != nil || strings.Join(said, "|") != "one |two |three" || done.Ending != llama.EndOfTurn || done.Answer != 3 {
		t.Fatalf("Generate = %q %+v %v", said, done, err)
	}
	counts, err := e.Count(ctx, []string{"a b c", "", "a"})
	if err != nil || len(counts) != 3 || counts[0] != 3 || counts[1] != 0 {
		t.Fatalf("Count = %v, %v", counts, err)
	}
	vectors, err := e.Embed(ctx, []string{"a", "b"})
	if err != nil || len(vectors) != 2 || len(vectors[0]) != 4 {
		t.Fatalf("Embed = %v, %v", vectors, err)
	}
	var refusal *llama.Refusal
	if _, err := e.Generate(ctx, ask("refuse"), nil); !errors.As(err, &refusal) || !refusal.Caller {
		t.Fatalf("a refused prompt = %v, want a refusal of the caller's", err)
	}
}

// TestACrashCostsOneAnswer ends the program under an answer and asks again.
func TestACrashCostsOneAnswer(t *testing.T) {
	t.Parallel()
	e := engine(t, 4, time.Hour, clock.Real())
	_, err := e.Generate(context.Background(), ask("crash"), func(llama.Piece) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "asked to crash") {
		t.Fatalf("err = %v, want the program's last words", err)
	}
	if _, err := e.Generate(context.Background(), ask("say hello"), func(llama.Piece) error { return nil }); err != nil {
		t.Fatalf("the next answer: %v", err)
	}
}

func TestTheQueueIsBounded(t *testing.T) {
	t.Parallel()
	e := engine(t, 1, time.Hour, clock.Real())
	ctx, cancel := context.WithCancel(context.Background())
	began := make(chan struct{}, 1)
	ended := make(chan error, 1)
	endless := ask("go on")
	endless.MaxTokens = 1 << 20
	go func() {
		_, err := e.Generate(ctx, endless, func(llama.Piece) error {
			select {
			case began <- struct{}{}:
			default:
			}
			return nil
		})
		ended <- err
	}()
	<-began
	if _, err := e.Generate(context.Background(), ask("say late"), nil); !errors.Is(err, llama.ErrBusy) {
		t.Fatalf("the second = %v, want ErrBusy", err)
	}
	// Counting needs no turn.
	if _, err := e.Count(context.Background(), []string{"word"}); err != nil {
		t.Fatalf("counting meanwhile: %v", err)
	}
	// Whoever leaves makes room: the engine stops before its next word.
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatalf("the first ended with %v, want context.Canceled", err)
	}
	for {
		_, err := e.Generate(context.Background(), ask("say late"), func(llama.Piece) error { return nil })
		if err == nil {
			break
		}
		if !errors.Is(err, llama.ErrBusy) {
			t.Fatalf("after the first has left: %v", err)
		}
	}
}

// TestBothDirectionsFlow sends long requests while the program says more than
// a pipe holds: neither side may wait for the other.
func TestBothDirectionsFlow(t *testing.T) {
	t.Parallel()
	e := engine(t, 4, time.Hour, clock.Real())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	endless := ask("go on")
	endless.MaxTokens = 1 << 18
	said := make(chan struct{})
	first := sync.OnceFunc(func() { close(said) })
	var all sync.WaitGroup
	talking, stop := context.WithCancel(ctx)
	all.Go(func() {
		_, _ = e.Generate(talking, endless, func(llama.Piece) error { first(); return nil }) // it is stopped
	})
	<-said
	text := strings.Repeat("word ", 20_000)
	failed := make(chan error, 4)
	for range 4 {
		go func() {
			var err error
			for range 4 {
				if _, err = e.Count(ctx, []string{text}); err != nil {
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

// TestLoadingHoldsUpNobody asks, leaves and closes while a model loads.
func TestLoadingHoldsUpNobody(t *testing.T) {
	t.Parallel()
	program := llamatest.Program(t)
	e := llama.New(llama.Options{
		Program: func() (string, error) { return program, nil },
		Load:    func() (llama.Load, error) { return llama.Load{Weights: "endless"}, nil }, Queue: 1, Clock: clock.Real(), Idle: time.Hour,
	})
	ctx, leave := context.WithCancel(t.Context())
	asked := make(chan error, 1)
	go func() {
		for { // the questions below may have the place for a moment
			_, err := e.Generate(ctx, ask("say one"), nil)
			if !errors.Is(err, llama.ErrBusy) {
				asked <- err
				return
			}
		}
	}()
	for { // until the first has taken the only place
		ended, end := context.WithCancel(t.Context())
		end()
		if _, err := e.Generate(ended, ask("say two"), nil); errors.Is(err, llama.ErrBusy) {
			break
		}
	}
	if e.Running() {
		t.Error("a model that loads is said to run")
	}
	leave()
	if err := <-asked; !errors.Is(err, context.Canceled) {
		t.Errorf("whoever left got %v, want context.Canceled", err)
	}
	e.Close()
	if _, err := e.Info(t.Context()); err == nil {
		t.Error("a closed engine answers")
	}
}

func TestAnIdleEngineLeavesMemory(t *testing.T) {
	t.Parallel()
	c := clock.NewVirtual(time.Unix(0, 0))
	e := engine(t, 2, time.Minute, c)
	if _, err := e.Info(t.Context()); err != nil {
		t.Fatal(err)
	}
	deadline, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	for e.Running() {
		if deadline.Err() != nil {
			t.Fatal("the program still runs after ten idle minutes")
		}
		c.Advance(10 * time.Minute)
	}
	if _, err := e.Count(context.Background(), []string{"again"}); err != nil {
		t.Fatalf("after the pause: %v", err)
	}
}

func TestWhatCannotStart(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]llama.Options{
		"no program": {Program: func() (string, error) { return "", llama.ErrNoProgram }},
		"no file":    {Program: func() (string, error) { return filepath.Join(t.TempDir(), "none"), nil }, Load: func() (llama.Load, error) { return llama.Load{}, nil }},
		"no weights": {Program: func() (string, error) { return "x", nil }, Load: func() (llama.Load, error) { return llama.Load{}, errors.New("none") }},
	} {
		o.Queue, o.Clock, o.Idle = 1, clock.Real(), time.Hour
		e := llama.New(o)
		if _, err := e.Info(t.Context()); err == nil || e.Running() {
			t.Errorf("%s: err = %v, want one", name, err)
		}
		e.Close()
	}
	program := llamatest.Program(t)
	e := llama.New(llama.Options{
		Program: func() (string, error) { return program, nil },
		Load:    func() (llama.Load, error) { return llama.Load{Weights: "unreadable"}, nil }, Queue: 1, Clock: clock.Real(), Idle: time.Hour,
	})
	defer e.Close()
	for range 2 {
		if _, err := e.Info(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot read") {
			t.Fatalf("err = %v, want that the weights cannot be read", err)
		}
	}
}

func TestProgram(t *testing.T) {
	t.Parallel()
	if got, err := llama.Program("/x/engine", ""); err != nil || got != "/x/engine" {
		t.Errorf("configured = %q, %v", got, err)
	}
	if _, err := llama.Program("", t.TempDir()); !errors.Is(err, llama.ErrNoProgram) {
		t.Errorf("without a program: %v, want ErrNoProgram", err)
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	beside := filepath.Join(filepath.Dir(own), "stoa-engine")
	if err := os.WriteFile(beside, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(beside) })
	if got, err := llama.Program("", t.TempDir()); err != nil || got != beside {
		t.Errorf("beside = %q, %v, want %q", got, err, beside)
	}
}

// TestTail compares with the whole text at once, for every way of cutting it.
func TestTail(t *testing.T) {
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
		tail := llama.NewTail(stops)
		got, ended := "", false
		for rest := []byte(text); len(rest) > 0 && !ended; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			var said string
			said, ended = tail.Push(rest[:n])
			got += said
			rest = rest[n:]
		}
		if !ended {
			got += tail.Rest()
		}
		if got != want || ended != stopped {
			t.Fatalf("said %q (%v), want %q (%v)", got, ended, want, stopped)
		}
	})
}
