package main

import (
	"fmt"
	"strings"
	"time"
)

// page is the page of the documentation.
func page(r results) string {
	var head, rule strings.Builder
	for _, n := range r.Sizes {
		fmt.Fprintf(&head, " %s: middle | p99 |", count(n))
		rule.WriteString("--:|--:|")
	}
	var calls, folders strings.Builder
	for _, g := range r.Kinds {
		for i := range g.Sizes[0].Calls {
			calls.WriteString(callLine(g, i, len(r.Sizes)))
		}
		for _, m := range g.Sizes {
			fmt.Fprintf(&folders, "| %s | %s | %s | %d MB | %d MB | %.1f s |\n",
				g.Kind, count(m.Rows), ms(m.Start), m.Memory>>20, m.Disk>>20, m.Backup.Seconds())
		}
	}
	return fmt.Sprintf(`# How cost grows with what is stored

Written by %s, which replaces this page. Each kind of rows is grown in demo worlds of its own, in the SQLite file,
by copying a row. Then the release build serves the worlds of all sizes at once, and one caller asks them in turn, so
that whatever else the machine does meets every size alike: read the ratios before the milliseconds.

![Time of each call relative to the first size: one line a call, the colour is the kind of rows](growth.png)

| many of | call |%s last over first |
|---|---|%s--:|
%s
Articles are grown without their entries of the search index. Start is the middle of several, in turn, from the start of
the process to the line that says it is ready; memory is what the process holds after the calls; a backup is taken while
it runs.

| many of | rows | start | memory | on disk | backup |
|---|--:|--:|--:|--:|--:|
%s
When, and how busy the machine was (load average of the last minute, before the calls):

| many of | day | cores | load |
|---|---|--:|--:|
%s`, "`make growth`", head.String(), rule.String(), calls.String(), folders.String(), runs(r))
}

// callLine is the line of one call.
func callLine(g grown, call, sizes int) string {
	first, last := g.Sizes[0].Calls[call], g.Sizes[len(g.Sizes)-1].Calls[call]
	var line strings.Builder
	fmt.Fprintf(&line, "| %s | %s |", g.Kind, first.Name)
	for _, m := range g.Sizes {
		fmt.Fprintf(&line, " %s | %s |", ms(m.Calls[call].Middle), ms(m.Calls[call].Worst))
	}
	line.WriteString(strings.Repeat(" | |", sizes-len(g.Sizes)))
	fmt.Fprintf(&line, " %.2f |\n", ratio(last.Middle, first.Middle))
	return line.String()
}

// runs says when each kind was measured, and where.
func runs(r results) string {
	var text strings.Builder
	for _, g := range r.Kinds {
		fmt.Fprintf(&text, "| %s | %s | %d | %s |\n", g.Kind, g.Day, g.Cores, g.Load)
	}
	return text.String()
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d.Microseconds())/1000) }

// count is a number in words.
func count(n int64) string {
	switch {
	case n%1_000_000 == 0:
		return fmt.Sprintf("%d million", n/1_000_000)
	case n%1000 == 0:
		return fmt.Sprintf("%d thousand", n/1000)
	}
	return fmt.Sprint(n)
}
