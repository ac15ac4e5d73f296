package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"
)

// page is the page of the documentation.
func page(o options, list [][]measured) string {
	sizes := o.sizes
	var head, rule strings.Builder
	for _, n := range sizes {
		fmt.Fprintf(&head, " %s: middle | p99 |", count(n))
		rule.WriteString("--:|--:|")
	}
	var calls, folders strings.Builder
	for _, grown := range list {
		for i, c := range grown[0].calls {
			fmt.Fprintf(&calls, "| %s | %s |", grown[0].kind, c.name)
			for _, m := range grown {
				fmt.Fprintf(&calls, " %s | %s |", ms(m.calls[i].middle), ms(m.calls[i].worst))
			}
			calls.WriteString(strings.Repeat(" | |", len(sizes)-len(grown)))
			last := grown[len(grown)-1].calls[i]
			fmt.Fprintf(&calls, " %.2f |\n", float64(last.middle)/float64(c.middle))
		}
		for _, m := range grown {
			fmt.Fprintf(&folders, "| %s | %s | %s | %d MB | %d MB | %.1f s |\n",
				m.kind, count(m.rows), ms(m.start), m.memory>>20, m.disk>>20, m.backup.Seconds())
		}
	}
	return fmt.Sprintf(`# How cost grows with what is stored

Written by %s, which replaces this page. Each kind of rows is grown in a demo world
of its own, in the SQLite file, by copying a row; then the release build serves it. Run of %s, %d cores, one caller, times in
milliseconds.

![Time of each call relative to the first size: one line a call, the colour is the kind of rows](growth.png)

| many of | call |%s last over first |
|---|---|%s--:|
%s
Articles are grown without their entries of the search index. Where columns are empty, the database and its backup are
larger than the disk of a test machine. Start is the middle of %d, from the start of the process to the
line that says it is ready; memory is what the process holds after the calls; a backup is taken while it runs.

| many of | rows | start | memory | on disk | backup |
|---|--:|--:|--:|--:|--:|
%s`, "`make growth`", time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(),
		head.String(), rule.String(), calls.String(), o.starts, folders.String())
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
