package main

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

// page is docs/peers.md.
type page struct {
	machine machine
	rounds  int
	warm    time.Duration
	length  time.Duration
	all     []found
}

// stoaDurable is the other side of every line about durability.
const stoaDurable = "a power cut: it is answered after the commit is on the disk (fsync, one for all that wait)"

const (
	pageTitle = "# Peers\n\n<!-- Written by `make peers`. Do not edit. -->\n\n"

	pageHead = "Programs that are run for a part of what Stoa does, and Stoa's release binary with all thirteen " +
		"services, token check and limiters on, measured in one run on one machine. One closed-loop generator asks " +
		"both over loopback with the same number of connections: warm-up, rounds in turn, median of the rounds. " +
		"Their data is on the same disk. Only operations that both have are compared, and no two programs here do " +
		"quite the same: read the differences below before the ratios. Ratios travel between machines; absolute " +
		"numbers do not."

	speedText = "The ratio is Stoa's rate over the peer's: above 1, Stoa answers more. CPU is the processor time of " +
		"the server an answer, the least of the rounds. Programs on Node.js answer on one core, the others on all."

	speedHead = "| peer | what | clients | peer /s | Stoa /s | ratio | peer p50 | Stoa p50 | peer p99 | Stoa p99 " +
		"| peer CPU | Stoa CPU |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"

	lifeText = "Start is from an empty folder to the first answer, median of three. Memory is resident, before and " +
		"after all rounds. Stoa starts all thirteen services each time."

	lifeHead = "| peer | start | of Stoa | memory before | of Stoa | memory after | of Stoa |\n" +
		"|---|--:|--:|--:|--:|--:|--:|\n"
)

func (p page) text() []byte {
	var b bytes.Buffer
	b.WriteString(pageTitle + wrapped(pageHead) + "\n")
	p.machine.write(&b)
	fmt.Fprintf(&b, "- rounds: %d of %s, each after %s of warm-up; made by `make peers`\n\n", p.rounds, p.length, p.warm)
	b.WriteString("## Speed\n\n" + wrapped(speedText) + "\n" + speedHead)
	for _, f := range p.measured() {
		b.WriteString(f.lines())
	}
	b.WriteString("\n## Start and memory\n\n" + wrapped(lifeText) + "\n" + lifeHead)
	for _, f := range p.measured() {
		fmt.Fprintf(&b, "| %s | %s | %s | %.0f MB | %.0f MB | %.0f MB | %.0f MB |\n", f.title(),
			milliseconds(f.theirs.start), milliseconds(f.ours.start),
			f.theirs.rest, f.ours.rest, f.theirs.after, f.ours.after)
	}
	b.WriteString("\n## What an acknowledged write survives\n\n| program | a write survives |\n|---|---|\n")
	fmt.Fprintf(&b, "| Stoa | %s |\n", stoaDurable)
	for _, f := range p.measured() {
		fmt.Fprintf(&b, "| %s | %s |\n", f.title(), f.peer.durable)
	}
	b.WriteString("\n## What differs\n\n")
	for _, f := range p.measured() {
		b.WriteString(wrapped(fmt.Sprintf("- **%s**: %s", f.peer.name, strings.Join(f.peer.differs, " "))))
	}
	p.writeMissing(&b)
	return b.Bytes()
}

// measured are the peers that ran.
func (p page) measured() []found {
	var all []found
	for _, f := range p.all {
		if len(f.outcomes) > 0 {
			all = append(all, f)
		}
	}
	return all
}

// writeMissing names the peers that the registries refused, so that the
// table is not taken for all there are.
func (p page) writeMissing(b *bytes.Buffer) {
	var names []string
	for _, f := range p.all {
		if len(f.outcomes) == 0 {
			names = append(names, f.title())
		}
	}
	if len(names) > 0 {
		b.WriteString("\n## Not in this run\n\n")
		b.WriteString(wrapped("Could not be fetched on this machine: " + strings.Join(names, ", ") + "."))
	}
}

func (f found) title() string { return f.peer.name + " " + strings.TrimPrefix(f.peer.pin.version, "v") }

// lines are the rows of one peer.
func (f found) lines() string {
	var b strings.Builder
	for _, o := range f.outcomes {
		what := o.ask.theirs
		if o.ask.ours != what {
			what += " and " + o.ask.ours
		}
		if what != o.ask.what {
			what = o.ask.what + ": " + what
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %.0f | %.0f | %s | %s | %s | %s | %s | %s | %s |\n", f.peer.name, what,
			o.ask.clients, o.theirs.Rate, o.ours.Rate, ratio(o.ours.Rate, o.theirs.Rate),
			milliseconds(o.theirs.P50), milliseconds(o.ours.P50), milliseconds(o.theirs.P99), milliseconds(o.ours.P99),
			microseconds(o.theirs.CPU), microseconds(o.ours.CPU))
	}
	return b.String()
}

// ratio has two figures that count, and no more.
func ratio(a, b float64) string {
	if b == 0 {
		return ""
	}
	if r := a / b; r < 10 {
		return fmt.Sprintf("%.2f", r)
	}
	return fmt.Sprintf("%.0f", a/b)
}

func microseconds(d time.Duration) string { return fmt.Sprintf("%d µs", d.Microseconds()) }

func milliseconds(d time.Duration) string {
	if d >= 100*time.Millisecond {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000)
}

// wrapped breaks a paragraph or a point into lines of the page's width.
func wrapped(text string) string {
	var b strings.Builder
	indent, column := "", 0
	if strings.HasPrefix(text, "- ") {
		indent = "  "
	}
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case column+1+len(word) > 118:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String() + "\n"
}
