package execute

import (
	"fmt"
	"time"
)

// Limits bound one node of a job. They are the operator's.
type Limits struct {
	Memory    int64 `yaml:"memory"`    // Memory bounds the memory of a node, in bytes.
	Disk      int64 `yaml:"disk"`      // Disk bounds the work folder, in bytes.
	Temporary int64 `yaml:"temporary"` // Temporary bounds /tmp, in bytes.
	CPU       int   `yaml:"cpu"`       // CPU is how many processors a node may use; 0 is all.
	Processes int   `yaml:"processes"` // Processes is how many processes a node may have.
	// Timeout bounds a node; a job may ask for less.
	Timeout time.Duration `yaml:"timeout"`
	// Silence is the no-output time-out of a step that names none.
	Silence time.Duration `yaml:"silence"`
	// Output bounds what is kept of one step, in bytes; what follows is dropped
	// and the step goes on.
	Output    int64 `yaml:"output"`
	Cache     int64 `yaml:"cache"`     // Cache bounds a cache or a workspace layer, in bytes.
	Artifact  int64 `yaml:"artifact"`  // Artifact bounds one artifact, in bytes.
	Artifacts int   `yaml:"artifacts"` // Artifacts is how many files a job may store.
	Tests     int   `yaml:"tests"`     // Tests is how many test cases a job may report.
}

// DefaultLimits fit a machine that builds small and middling projects.
func DefaultLimits() Limits {
	return Limits{
		Memory: 4 << 30, Disk: 10 << 30, Temporary: 1 << 30, Processes: 1024,
		Timeout: time.Hour, Silence: 10 * time.Minute, Output: 64 << 20,
		Cache: 2 << 30, Artifact: 3 << 30, Artifacts: 10_000, Tests: 100_000,
	}
}

// Validate refuses bounds below zero: who writes one wants something else than the default, which zero is.
func (l Limits) Validate() error {
	for _, bound := range []struct {
		name  string
		value int64
	}{
		{"memory", l.Memory}, {"disk", l.Disk}, {"temporary", l.Temporary}, {"cpu", int64(l.CPU)},
		{"processes", int64(l.Processes)}, {"timeout", int64(l.Timeout)}, {"silence", int64(l.Silence)},
		{"output", l.Output}, {"cache", l.Cache}, {"artifact", l.Artifact}, {"artifacts", int64(l.Artifacts)},
		{"tests", int64(l.Tests)},
	} {
		if bound.value < 0 {
			return fmt.Errorf("limits.%s must not be negative", bound.name)
		}
	}
	return nil
}

// complete replaces what is not set by the default.
func (l Limits) complete() Limits {
	d := DefaultLimits()
	for _, v := range []struct{ at, otherwise *int64 }{
		{&l.Memory, &d.Memory},
		{&l.Disk, &d.Disk},
		{&l.Temporary, &d.Temporary},
		{&l.Output, &d.Output},
		{&l.Cache, &d.Cache},
		{&l.Artifact, &d.Artifact},
		{(*int64)(&l.Timeout), (*int64)(&d.Timeout)},
		{(*int64)(&l.Silence), (*int64)(&d.Silence)},
	} {
		if *v.at <= 0 {
			*v.at = *v.otherwise
		}
	}
	for _, v := range []struct{ at, otherwise *int }{{&l.Processes, &d.Processes}, {&l.Artifacts, &d.Artifacts},
		{&l.Tests, &d.Tests}} {
		if *v.at <= 0 {
			*v.at = *v.otherwise
		}
	}
	return l
}
