package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"stoa.dev/stoa/test/bench/drive"
)

// row is one line of the table: a name, a measurement and what it must reach.
type row struct {
	name    string
	run     func(*bench, context.Context) ([]result, error)
	atLeast float64 // of the ratio or of times; 0 means no target
	atMost  float64 // of the value
	perSec  float64 // at least this rate
	unit    string  // of the value
}

// rows is the table of contents: one line per service or subject.
func rows() []row {
	var all []row
	all = append(all, kmsRows()...)
	all = append(all, packagesRows()...)
	all = append(all, tasksRows()...)
	all = append(all, postgresRows()...)
	all = append(all, labelsRows()...)
	all = append(all, snapshotsRows()...)
	all = append(all, articlesRows()...)
	all = append(all, pipelinesRows()...)
	all = append(all, calendarRows()...)
	all = append(all, eventsRows()...)
	all = append(all, deviceRows()...)
	all = append(all, analyticsRows()...)
	all = append(all, apikeysRows()...)
	all = append(all, generateRows()...)
	all = append(all, databaseRows()...)
	all = append(all, labRows()...)
	all = append(all, journalRows()...)
	return append(all, processRows()...)
}

// result is one printed line. What does not apply stays zero.
type result struct {
	label    string
	bareRate float64
	rate     float64
	ratio    float64 // ours over bare
	times    float64 // over one client
	bareP99  time.Duration
	p50, p99 time.Duration
	cpu      time.Duration // processor time of ours an answer
	costs    drive.Costs
	value    float64
	judged   bool // whether the row's target binds this line
}

func ratioResult(c comparison) result {
	return result{
		bareRate: c.bare.Rate, rate: c.ours.Rate, ratio: c.ratio(),
		bareP99: c.bare.P99, p50: c.ours.P50, p99: c.ours.P99, cpu: c.ours.CPU, costs: c.ours.Costs, judged: true,
	}
}

func rateResult(label string, s drive.Sample) result {
	return result{label: label, rate: s.Rate, p50: s.P50, p99: s.P99, cpu: s.CPU, costs: s.Costs}
}

func clientsLabel(n int) string {
	if n == 1 {
		return "1 client"
	}
	return fmt.Sprintf("%d clients", n)
}

// verdict compares a line with the row's target.
func (r row) verdict(s result) (target, verdict string, ok bool) {
	switch {
	case !s.judged || (r.atLeast == 0 && r.atMost == 0 && r.perSec == 0):
		return "", "", true
	case r.perSec > 0:
		target, ok = fmt.Sprintf("at least %g/s", r.perSec), s.rate >= r.perSec
	case r.atMost > 0:
		target, ok = fmt.Sprintf("at most %g %s", math.Round(r.atMost*100)/100, r.unit), s.value <= r.atMost
	case s.ratio > 0:
		target, ok = fmt.Sprintf("at least %g of bare, p99 at most 2x", r.atLeast),
			s.ratio >= r.atLeast && s.p99 <= 2*s.bareP99
	default:
		target, ok = fmt.Sprintf("at least %g times one client", r.atLeast), s.times >= r.atLeast
	}
	if ok {
		return target, "yes", true
	}
	return target, "**no**", false
}

// printHead and printLine write the Markdown table.
func printHead(w io.Writer) {
	fmt.Fprint(w,
		"| what | bare /s | ours /s | ratio | p50 | p99 | bare p99 | target | met |\n|---|--:|--:|--:|--:|--:|--:|---|---|\n")
}

func printLine(w io.Writer, r row, s result) (ok bool) {
	name := r.name
	if s.label != "" {
		name += ", " + s.label
	}
	target, met, ok := r.verdict(s)
	rate, ratio := number(s.rate), ""
	switch {
	case s.ratio > 0:
		ratio = fmt.Sprintf("%.2f", s.ratio)
	case s.times > 0:
		ratio = fmt.Sprintf("%.1f times one client", s.times)
	case s.value > 0 || r.atMost > 0 && s.rate == 0:
		rate = fmt.Sprintf("%.0f %s", s.value, r.unit)
	}
	fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n",
		name, number(s.bareRate), rate, ratio, took(s.p50), took(s.p99), took(s.bareP99), target, met)
	return ok
}

func number(n float64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f", n)
}

func took(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000)
}

const costsHead = "| what | processor | allocations | allocated | commits | written to disk |\n" +
	"|---|--:|--:|--:|--:|--:|\n"

// printCosts writes a line of the second table, if they were asked for.
func printCosts(w io.Writer, r row, s result) {
	if s.costs == (drive.Costs{}) {
		return
	}
	name := r.name
	if s.label != "" {
		name += ", " + s.label
	}
	fmt.Fprintf(w, "| %s | %.0f µs | %.0f | %.1f kB | %.3f | %.1f kB |\n", name, micros(s.cpu), s.costs.Allocations,
		s.costs.AllocatedBytes/1000, s.costs.Commits, s.costs.WrittenBytes/1000)
}
