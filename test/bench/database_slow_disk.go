package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// createsWord as first argument turns the program into the process that
// measures durable creates and prints the widths as JSON.
const createsWord = "creates"

// databaseCreateSlow measures the creates in a process whose fsync and
// fdatasync are each held up by strace. The database code runs as it is; only
// the kernel's answer is late.
func (b *bench) databaseCreateSlow(ctx context.Context) ([]result, error) {
	tracer, err := exec.LookPath("strace")
	if err != nil {
		return nil, fmt.Errorf("install strace, which slows the flushes down: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	settings, err := json.Marshal(createsSettings{Dir: b.folder("slow"), Rounds: b.rounds, Warm: b.warm, Length: b.length})
	if err != nil {
		return nil, err
	}
	// With a seccomp filter only the two calls stop for the tracer.
	cmd := exec.CommandContext(ctx, tracer, "-f", "--seccomp-bpf", "-qq", "-o", os.DevNull,
		"-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:delay_exit=1000", self, createsWord, string(settings))
	cmd.Stderr = os.Stderr
	printed, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var widths []width
	if err := json.Unmarshal(printed, &widths); err != nil {
		return nil, err
	}
	return createResults(widths), nil
}

type createsSettings struct {
	Dir          string
	Rounds       int
	Warm, Length time.Duration
}

// runCreates is the other side: the measuring process.
func runCreates(settings string) error {
	var s createsSettings
	if err := json.Unmarshal([]byte(settings), &s); err != nil {
		return err
	}
	b := &bench{dir: s.Dir, rounds: s.Rounds, warm: s.Warm, length: s.Length}
	widths, err := b.allCreates(context.Background())
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(widths)
}
