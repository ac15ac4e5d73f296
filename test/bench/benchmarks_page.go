package main

import (
	"bytes"
	"fmt"
	"runtime"
	"time"

	"stoa.dev/stoa/test/bench/drive"
)

// page is docs/benchmarks.md: the table with the machine and the command.
func page(table, busy, args string) []byte {
	var b bytes.Buffer
	command := "make bench"
	if args != "" {
		command += fmt.Sprintf(" BENCH_ARGS=%q", args)
	}
	fmt.Fprint(&b, "# Benchmarks\n\n<!-- Written by `make bench`. Do not edit. -->\n\n",
		"A bare net/http server that answers the same constant bytes, and Stoa's release binary with every service, "+
			"token check\n",
		"and limiter on, measured in one run by one closed-loop generator on the same machine: warm-up, alternating "+
			"rounds,\n",
		"median of the rounds. Ratios travel between machines; absolute numbers do not. Made by:\n\n    ", command, "\n\n")
	fmt.Fprintf(&b, "- date: %s\n- machine: %s, %d cores, %s/%s\n- load average before the run: %s\n- Go: %s\n\n",
		time.Now().UTC().Format(time.DateOnly),
		drive.Processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, busy, runtime.Version())
	b.WriteString(table)
	return b.Bytes()
}
