package main

import (
	"fmt"
	"io"
	"runtime"
	"strconv"
	"time"

	"stoa.dev/stoa/test/bench/drive"
)

// machine says where and when the numbers were taken.
type machine struct {
	date      string
	processor string
	cores     int
	system    string
	golang    string
	before    string // load averages
	after     string
}

func thisMachine() machine {
	return machine{
		date: time.Now().UTC().Format(time.DateOnly), processor: drive.Processor(), cores: runtime.NumCPU(),
		system: runtime.GOOS + "/" + runtime.GOARCH, golang: runtime.Version(), before: drive.LoadAverage(),
	}
}

func (m machine) write(w io.Writer) {
	fmt.Fprintf(w, "- date: %s\n- machine: %s, %d cores, %s; %s, Node.js %s\n", m.date, m.processor, m.cores, m.system,
		m.golang, pins()[nodeProgram].version)
	const load = "- load average over a minute: %s before the run, %s after it; %s"
	fmt.Fprint(w, wrapped(fmt.Sprintf(load, m.before, m.after, m.busy())))
}

// busy tells in words what the load before the run means for the numbers.
func (m machine) busy() string {
	load, err := strconv.ParseFloat(m.before, 64)
	switch {
	case err != nil:
		return "how busy the machine was is unknown"
	case load > float64(m.cores):
		return "the machine was busy with other work, so rates are low, tails long and ratios rough: a " +
			"program with one thread gets less of a busy machine than one with several"
	case load > float64(m.cores)/4:
		return "the machine had some other work"
	}
	return "the machine was quiet"
}
