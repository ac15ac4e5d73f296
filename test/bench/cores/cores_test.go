package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestFit finds the law again that rates were made of, also where a term is nothing.
func TestFit(t *testing.T) {
	t.Parallel()
	numbers := []float64{1, 2, 4, 8, 32, 128}
	for name, want := range map[string]law{
		"both": {1000, 0.05, 0.0004}, "waiting alone": {700, 0.3, 0}, "straight": {10, 0, 0}, "crosstalk": {5, 0, 0.001},
	} {
		var rates []float64
		for _, n := range numbers {
			rates = append(rates, want.rate(n))
		}
		got := fit(numbers, rates)
		for _, n := range []float64{1, 16, 64, 256} {
			if a, b := got.rate(n), want.rate(n); math.Abs(a-b) > b/1e6 {
				t.Errorf("%s: %+v says %g at %g, want %g", name, got, a, n, b)
			}
		}
	}
	// Noise that rises faster than straight gives no negative term.
	if got := fit([]float64{1, 2, 4}, []float64{10, 25, 60}); got.sigma != 0 || got.kappa != 0 || !(got.lambda > 0) {
		t.Errorf("got %+v, want a straight line", got)
	}
}

// TestCompareProcessors checks the shares by hand: half of a second processor's rate with nothing
// idle is added work, with nothing added it is waiting.
func TestCompareProcessors(t *testing.T) {
	t.Parallel()
	const each = 500 * time.Microsecond
	one := point{Processors: 1, Rate: 1000, Server: each, Generator: each}
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-5 {
			t.Errorf("%s: got %g, want %g", what, got, want)
		}
	}
	waits := compareProcessors(one, point{Processors: 2, Rate: 1500, Server: each, Generator: each})
	near("speedup", waits.times, 1.5)
	near("serial", waits.serial, 1.0/3)
	near("idle", waits.idle, 0.25)
	near("σ", waits.law.sigma, 1.0/3)
	near("κ", waits.law.kappa, 0)
	works := compareProcessors(one, point{Processors: 2, Rate: 1500, Server: each * 4 / 3, Generator: each * 4 / 3})
	near("work", works.work, 1.0/3)
	near("σ of work", works.law.sigma, 0)
	near("the law at two", works.law.rate(2), 1.5)
}

func TestParseTraces(t *testing.T) {
	t.Parallel()
	const text = `File: stoa
Type: delay
-----------+-------------------------------------------------------
 2000000ns   sync.(*Mutex).Unlock (inline)
             stoa.dev/stoa/internal/platform/limit.(*Limits).Take
             net/http.(*conn).serve
-----------+-------------------------------------------------------
    500.5ns   internal/sync.(*Mutex).Unlock
             stoa.dev/stoa/internal/platform/limit.(*Limits).Take
-----------+-------------------------------------------------------
 3000000ns   runtime.unlock
             runtime.schedule
-----------+-------------------------------------------------------
`
	got, err := parseTraces(text)
	want := []waited{
		{"runtime.unlock", 3 * time.Millisecond}, {"stoa.dev/stoa/internal/platform/limit.(*Limits).Take", 2000500},
	}
	if err != nil || len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if got, err := parseTraces("File: stoa\nType: delay\n"); err != nil || len(got) != 0 {
		t.Errorf("a profile of nothing: %v, %v", got, err)
	}
	if _, err := parseTraces("usage of pprof"); err == nil {
		t.Error("an answer that is no profile is taken for one without locks")
	}
}

// TestPage makes the page of known points.
func TestPage(t *testing.T) {
	t.Parallel()
	o := options{plan: plan{Clients: []int{1, 32}}, processors: []int{1, 2}, rounds: 2, profile: time.Second}
	p := page{options: o}
	for _, processors := range p.processors {
		for _, clients := range p.Clients {
			p.points = append(p.points, point{
				Call: "POST task", Durable: true, Processors: processors, Clients: clients, Server: 150e3, Generator: 50e3,
				Rate: float64(1000*processors + 1000*min(clients, 3)), Writer: 0.4, P99: 5e6,
			})
		}
	}
	p.points = merge(append(p.points, point{Call: "POST task", Processors: 2, Clients: 32, Rate: 1}))
	p.locks = []locks{
		{Call: "POST task", Clients: 100, Took: time.Second, Waited: []waited{
			{"a/b.(*C).Unlocks", 3 * time.Second}, {"a/b.few", time.Second},
		}},
		{Call: "GET task", Clients: 100, Took: time.Second},
	}
	text := p.text()
	for _, want := range []string{
		"| POST task | 4000 | 5000 | 1.25 | 60 % | 150.0 µs | 150.0 µs | 50.0 µs | 50.0 µs | 80 % | 50 % | 40 % | 40 % |\n",
		"| POST task | 0 % | 0.600 | 0.000 | 1.4 to 1.4 |",
		"| POST task | 1 | 2000 (2000) | 4000 (4000) |",
		"| POST task | `b.(*C).Unlocks` | 3.000 | 3.00 % | **no** |\n",
		"| POST task | `b.few` | 1.000 | 1.00 % | yes |\n",
		"| GET task | none was waited for |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if n := len(strings.Fields(text)); n > 1000 {
		t.Errorf("the page of one call has %d words", n)
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestFirstOf(t *testing.T) {
	t.Parallel()
	var all unix.CPUSet
	all.Set(1)
	all.Set(5)
	if got, err := firstOf(all, 1); err != nil || got.Count() != 1 || !got.IsSet(1) {
		t.Errorf("the first of 1 and 5: %v, %v", got, err)
	}
	if _, err := firstOf(all, 3); err == nil {
		t.Error("three of two processors were found")
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"1,2": 2, "1": 1, "": 0, "2,1": 0, "1,1": 0, "0,1": 0, "1,x": 0} {
		if got, err := numbers(text); len(got) != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %v, %v; want %d numbers", text, got, err, want)
		}
	}
}
