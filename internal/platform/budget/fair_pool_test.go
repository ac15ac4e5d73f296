package budget_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/wire"
)

func take(t *testing.T, p *budget.Pool, owner budget.Owner, n int64) *budget.Grant {
	t.Helper()
	g, err := p.Take(t.Context(), owner, n)
	if err != nil {
		t.Fatalf("Take(%d) = %v, want a grant", n, err)
	}
	return g
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	ada, bob := budget.Caller("ada"), budget.Caller("bob")
	here := budget.Address("192.0.2.1")
	for _, row := range []struct {
		name  string
		held  map[budget.Owner]int64
		owner budget.Owner
		n     int64
		want  string
	}{
		{"within all shares", map[budget.Owner]int64{bob: 40}, ada, 40, ""},
		{"nothing needs nothing", map[budget.Owner]int64{bob: 60, ada: 40}, ada, 0, ""},
		{"the total is used", map[budget.Owner]int64{bob: 60, here: 20}, ada, 30, "busy"},
		{"the owner's share is used", map[budget.Owner]int64{ada: 50}, ada, 20, "busy"},
		{"never fits the owner", nil, ada, 61, "too large"},
		{"anonymous callers share", map[budget.Owner]int64{budget.Address("192.0.2.2"): 20}, here, 20, "busy"},
		{"never fits the anonymous", nil, here, 31, "too large"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := budget.New(budget.Options{Name: "memory", Total: 100, PerOwner: 60, Anonymous: 30})
			for owner, n := range row.held {
				take(t, p, owner, n)
			}
			_, err := p.Take(t.Context(), row.owner, row.n)
			var busy *limit.Exceeded
			got := ""
			switch {
			case errors.As(err, &busy) && busy.RetryAfter >= time.Second:
				got = "busy"
			case errors.Is(err, wire.ErrTooLarge):
				got = "too large"
			case err != nil:
				got = err.Error()
			}
			if got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

// Whatever one account and one network take of the memory, every other owner gets an eighth
// of it at once, and a single piece of work may still be much larger than that.
func TestMemoryIsShared(t *testing.T) {
	t.Parallel()
	o := budget.MemoryOptions(0)
	o.Wait = 0
	p := budget.New(o)
	large := take(t, p, budget.Caller("large"), o.Total/2)
	large.Release()
	var held []*budget.Grant
	for _, owner := range []budget.Owner{budget.Address("192.0.2.1"), budget.Caller("mal")} {
		for {
			g, err := p.Take(t.Context(), owner, o.Total/64)
			if err != nil {
				break
			}
			held = append(held, g)
		}
	}
	for _, owner := range []budget.Owner{budget.Address("192.0.2.2"), budget.Caller("ann"), budget.Caller("bob")} {
		g := take(t, p, owner, o.Total/16)
		if err := g.Grow(o.Total / 16); err != nil {
			t.Errorf("%v: the second half of its share: %v", owner, err)
		}
		held = append(held, g)
	}
	for _, g := range held {
		g.Release()
	}
	take(t, p, budget.Caller("mal"), o.Total/2).Release()
	if p.Used() != 0 {
		t.Errorf("%d are held at the end", p.Used())
	}
}

func TestReleaseIsIdempotentAndGrowCounts(t *testing.T) {
	t.Parallel()
	p := budget.New(budget.Options{Name: "memory", Total: 10})
	g := take(t, p, budget.Caller("ada"), 4)
	if err := g.Grow(6); err != nil || p.Used() != 10 {
		t.Fatalf("Grow = %v, used %d, want 10", err, p.Used())
	}
	if err := g.Grow(1); !errors.Is(err, wire.ErrTooLarge) {
		t.Errorf("Grow beyond the share = %v, want ErrTooLarge", err)
	}
	g.Release()
	g.Release()
	if p.Used() != 0 {
		t.Errorf("used %d after release, want 0", p.Used())
	}
	take(t, nil, budget.Caller("ada"), 1<<60).Release() // a description's pool grants all
}

// An owner with many waiting pieces delays another owner's single one by one.
func TestFairBetweenOwners(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := budget.New(budget.Options{Name: "git", Total: 2, Wait: time.Hour})
		var order []string
		var mu sync.Mutex
		work := func(name string) {
			g, err := p.Take(t.Context(), budget.Caller(name), 1)
			if err != nil {
				t.Error(err)
				return
			}
			<-time.After(time.Minute)
			mu.Lock()
			order = append(order, name)
			mu.Unlock()
			g.Release()
		}
		for range 20 {
			go work("eve")
		}
		synctest.Wait()
		go work("mal")
		synctest.Wait()
		<-time.After(time.Hour)
		mu.Lock()
		defer mu.Unlock()
		if len(order) != 21 {
			t.Fatalf("%d pieces were done, want 21", len(order))
		}
		for i, name := range order {
			if name == "mal" && i > 3 {
				t.Errorf("mal came %d., want among the first four", i+1)
			}
		}
	})
}

// What one owner may have waiting is bounded, whatever the wait.
func TestWaitingIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := budget.New(budget.Options{Name: "git", Total: 1, Wait: time.Hour})
		held := take(t, p, budget.Caller("ada"), 1)
		var refused, served atomic.Int64
		for range 300 {
			go func() {
				g, err := p.Take(t.Context(), budget.Caller("eve"), 1)
				if err != nil {
					refused.Add(1)
					return
				}
				served.Add(1)
				g.Release()
			}()
		}
		synctest.Wait()
		if got := refused.Load(); got != 44 {
			t.Errorf("%d were refused at once, want 44", got)
		}
		held.Release()
		synctest.Wait()
		if got := served.Load(); got != 256 {
			t.Errorf("%d were served, want 256", got)
		}
	})
}

func TestWaitEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := budget.New(budget.Options{Name: "git", Total: 1, Wait: 5 * time.Second})
		g := take(t, p, budget.Caller("ada"), 1)
		began := time.Now()
		var busy *limit.Exceeded
		if _, err := p.Take(t.Context(), budget.Caller("bob"), 1); !errors.As(err, &busy) {
			t.Errorf("err = %v, want *limit.Exceeded", err)
		}
		if waited := time.Since(began); waited != 5*time.Second {
			t.Errorf("waited %s, want 5s", waited)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.Take(ctx, budget.Caller("bob"), 1); !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v, want the caller's own", err)
		}
		g.Release()
		take(t, p, budget.Caller("bob"), 1).Release()
	})
}

// Whatever happens, no bound is passed and everything comes back.
func TestModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := budget.New(budget.Options{Name: "x", Total: 50, PerOwner: 30, Anonymous: 20, Share: 10, Beyond: 25,
			Wait: time.Millisecond})
		var group sync.WaitGroup
		var most atomic.Int64
		for i := range rapid.IntRange(1, 20).Draw(t, "workers") {
			name := fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "owner"))
			owner := budget.Caller(name)
			if i%3 == 0 {
				owner = budget.Address(name)
			}
			n := rapid.Int64Range(0, 40).Draw(t, "n")
			group.Go(func() {
				g, err := p.Take(context.Background(), owner, n)
				if err != nil {
					return
				}
				_ = g.Grow(n / 2) // may be refused; what counts is the sum
				if used := p.Used(); used > most.Load() {
					most.Store(used)
				}
				g.Release()
			})
		}
		group.Wait()
		if most.Load() > 50 || p.Used() != 0 {
			t.Fatalf("most held %d of 50, %d left", most.Load(), p.Used())
		}
	})
}

func TestSteps(t *testing.T) {
	t.Parallel()
	s := budget.NewSteps(t.Context(), 10)
	if err := s.Take(10); err != nil || s.Left() != 0 {
		t.Fatalf("Take(10) = %v, left %d", err, s.Left())
	}
	err := s.Take(1)
	var over *budget.StepsError
	var refused *wire.SyntaxError
	if !errors.As(err, &over) || over.Limit != 10 || !errors.As(err, &refused) {
		t.Errorf("Take beyond = %v, want a *StepsError that is a refusal", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s = budget.NewSteps(ctx, 1<<20)
	for range 2048 {
		if err = s.Take(1); err != nil {
			break
		}
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want the context's", err)
	}
	var none *budget.Steps
	if none.Take(1<<40) != nil || none.Left() != 0 {
		t.Error("a nil Steps must count nothing")
	}
}

// TestOwnersAreForgotten checks that callers who hold nothing cost no memory for
// ever, and that those who hold something are never forgotten.
func TestOwnersAreForgotten(t *testing.T) {
	p := budget.New(budget.Options{Total: 100, PerOwner: 10})
	kept := take(t, p, budget.Caller("kept"), 10)
	for i := range 10 * budget.MinKept {
		take(t, p, budget.Caller(strconv.Itoa(i)), 1).Release()
	}
	if n := p.Owners(); n > budget.MinKept {
		t.Errorf("%d owners are remembered, want at most %d", n, budget.MinKept)
	}
	if _, err := p.Take(t.Context(), budget.Caller("kept"), 1); err == nil {
		t.Error("an owner got more than its share after others came and went")
	}
	kept.Release()
	take(t, p, budget.Caller("kept"), 10).Release()
	if p.Used() != 0 {
		t.Errorf("%d are held at the end", p.Used())
	}
}
