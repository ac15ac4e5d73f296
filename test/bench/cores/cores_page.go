package main

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/test/bench/drive"
)

// lockLimit is the most of the clients' time that may be waited for one lock.
const lockLimit = 0.02

// page is docs/performance-cores.md.
type page struct {
	options
	before, date string
	points       []point
	locks        []locks
}

func (p page) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# What further cores bring

<!-- Written by test/bench/cores. Do not edit. -->

This belongs to [Where the time of a write goes](performance.md). Written by

    go run ./test/bench/cores -write docs/performance-cores.md

- date: %s
- machine: %s, %d cores, %s/%s, %s
- load average before the run: %s
- %d passes with each number of processors, each measurement %s after %s of warm-up; the best counts

`, p.date, drive.Processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), p.before,
		p.rounds, p.Length, p.Warm)
	b.WriteString(explanation)
	p.writeShares(&b)
	p.writeModel(&b)
	p.writeClients(&b)
	p.writeLocks(&b)
	return b.String()
}

const explanation = `Server and generator are two processes. Both are bound to the first processor, with GOMAXPROCS=1,
and then to all of the row, with GOMAXPROCS to match. So "one" is a machine with one core and "two" one with two, and
in both the generator takes its share, which the table names; it has one goroutine a client, which share nothing. The
bare server is a constant answer of net/http, driven in the same way: what it loses is lost by the machine, the kernel
and the generator.

What two shared cores can show: whether the second one is used, what an answer costs more there, and what is waited
for. What they cannot show: how a third or an eighth core does. The model says what would follow if waiting and added
work grew by its law; no such machine was measured. Part of the added work comes once, with the first other processor
(waking a thread is then an interrupt of another processor, and data changes its cache), but the law lets it grow
with each: so the low end of a range has both, and the high end waiting alone.

`

// clientsForCores is how many clients the processors are compared at: enough that no
// processor rests for want of requests.
func (p page) clientsForCores() int {
	if at := slices.Index(p.Clients, 32); at >= 0 {
		return 32
	}
	return slices.Max(p.Clients)
}

func (p page) calls() (names []string) {
	for _, x := range p.points {
		if !slices.Contains(names, x.Call) {
			names = append(names, x.Call)
		}
	}
	return names
}

func (p page) at(call string, processors, clients int) point {
	for _, x := range p.points {
		if x.Call == call && x.Processors == processors && x.Clients == clients {
			return x
		}
	}
	return point{}
}

func (p page) most() int { return slices.Max(p.processors) }

func (p page) writeShares(w io.Writer) {
	clients, most := p.clientsForCores(), p.most()
	fmt.Fprintf(w, `## The share of time that is serial

At %[1]d clients. "Serial" is the share by Karp and Flatt: from a speedup of S on n processors, (1/S − 1/n) / (1 − 1/n).
Processor time is that of the server and of the generator an answer; "used" is the part of all processors that both used
together. The writer is the one goroutine that writes to SQLite: the part of the time in which it ran transactions or
committed them.

| call | 1 /s | %[2]d /s | speedup | serial | server, 1 | %[2]d | generator, 1 | %[2]d | used, 1 | %[2]d | writer, 1 | %[2]d |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
`, clients, most)
	for _, call := range p.calls() {
		one, many := p.at(call, 1, clients), p.at(call, most, clients)
		s := compareProcessors(one, many)
		fmt.Fprintf(w, "| %s | %.0f | %.0f | %.2f | %s |", call, one.Rate, many.Rate, s.times, percent(s.serial))
		fmt.Fprintf(w, " %s | %s | %s | %s |", micros(one.Server), micros(many.Server), micros(one.Generator),
			micros(many.Generator))
		fmt.Fprintf(w, " %s | %s | %s | %s |\n", percent(one.busy()), percent(many.busy()), writer(one), writer(many))
	}
	fmt.Fprintln(w)
}

func writer(x point) string {
	if !x.Durable {
		return ""
	}
	return percent(x.Writer)
}

func (p page) writeModel(w io.Writer) {
	fmt.Fprintf(w, `## The model over processors

The universal scalability law: the rate on n processors is n / (1 + σ(n−1) + κn(n−1)) times that on one. κ comes from
the processor time that an answer costs more on %d, generator included, and σ from the rest of what is missing.

| call | added work | σ, waiting | κ, added work | 4 cores: both to waiting alone | 8 cores | 16 cores |
|---|--:|--:|--:|--:|--:|--:|
`, p.most())
	for _, call := range p.calls() {
		s := compareProcessors(p.at(call, 1, p.clientsForCores()), p.at(call, p.most(), p.clientsForCores()))
		waiting := law{lambda: 1, sigma: s.law.sigma}
		fmt.Fprintf(w, "| %s | %s | %.3f | %.3f |", call, percent(s.work), s.law.sigma, s.law.kappa)
		for _, n := range []float64{4, 8, 16} {
			// A server need not use more processors than serve it best.
			both := s.law.rate(min(n, max(s.law.best(), 1)))
			fmt.Fprintf(w, " %.1f to %.1f |", both, waiting.rate(n))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}

func (p page) writeClients(w io.Writer) {
	fmt.Fprint(w, `## The model over clients

The same law fitted to the rates at each number of clients: measured, and in parentheses what the law says. σ is near
1 where few clients keep the processors busy already, and κ is what a further client costs the others.

| call | cores |`)
	for _, n := range p.Clients {
		fmt.Fprintf(w, " %d |", n)
	}
	fmt.Fprint(w, " σ | κ | p99 of the last |\n|---|--:|"+strings.Repeat("--:|", len(p.Clients)+3)+"\n")
	for _, call := range p.calls() {
		for _, processors := range p.processors {
			var numbers, rates []float64
			for _, n := range p.Clients {
				numbers, rates = append(numbers, float64(n)), append(rates, p.at(call, processors, n).Rate)
			}
			l := fit(numbers, rates)
			fmt.Fprintf(w, "| %s | %d |", call, processors)
			for i, n := range numbers {
				fmt.Fprintf(w, " %.0f (%.0f) |", rates[i], l.rate(n))
			}
			last := p.at(call, processors, slices.Max(p.Clients))
			fmt.Fprintf(w, " %.3f | %.5f | %.1f ms |\n", l.sigma, l.kappa, float64(last.P99.Microseconds())/1000)
		}
	}
	fmt.Fprintln(w)
}

// shownLocks are those of a call that have a row.
const shownLocks = 3

func (p page) writeLocks(w io.Writer) {
	fmt.Fprintf(w, `## Locks

`+"`stoa profile mutex`"+` at %d clients on %d cores for %s, by the function that lets the lock go. The share is of the
time of all clients together; %s is the most that one lock may take. The number beside it is how many clients wait for
the lock at a time, on average.

| call | lock | clients waiting | share | within the limit |
|---|---|--:|--:|---|
`, slices.Max(p.Clients), p.most(), p.profile, percent(lockLimit))
	for _, l := range p.locks {
		if len(l.Waited) == 0 {
			fmt.Fprintf(w, "| %s | none was waited for | 0 | 0 %% | yes |\n", l.Call)
		}
		for _, x := range l.Waited[:min(shownLocks, len(l.Waited))] {
			within := "yes"
			if l.share(x) > lockLimit {
				within = "**no**"
			}
			fmt.Fprintf(w, "| %s | `%s` | %.3f | %.2f %% | %s |\n", l.Call, shortened(x.Lock),
				l.share(x)*float64(l.Clients), 100*l.share(x), within)
		}
	}
}

// shortened leaves the folders of a package out of a function's name.
func shortened(function string) string { return function[strings.LastIndex(function, "/")+1:] }

func percent(share float64) string {
	if math.IsNaN(share) || math.IsInf(share, 0) {
		return ""
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

func micros(d time.Duration) string { return fmt.Sprintf("%.1f µs", float64(d.Nanoseconds())/1000) }
