package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
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
		processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, busy, runtime.Version())
	b.WriteString(table)
	return b.Bytes()
}

// loadAverage tells a reader how quiet the machine was: on a busy one even the
// ratios lie.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(text))[:1], "")
}

// processor names the CPU as the kernel does.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}
