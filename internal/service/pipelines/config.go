package pipelines

import (
	"errors"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/service/pipelines/runner"
)

// Config is what an operator decides about jobs and about the callers of the API.
type Config struct {
	runner.Config `yaml:",inline"`
	// RunForeign runs jobs that are written for another operating system with the programs of this one; without it they
	// fail, and say why.
	RunForeign bool `yaml:"run_foreign"`
	// Orbs is a folder with orbs, namespace/name@version.yml below it; empty has none.
	Orbs string `yaml:"orbs"`
	// Requests bound the callers of the API.
	Requests Requests `yaml:"requests"`
}

// Requests are the two budgets of a caller: one for bursts, one for sustained volume.
type Requests struct {
	Burst    int64         `yaml:"burst"`     // Burst is how many requests a caller may make in BurstPer.
	BurstPer time.Duration `yaml:"burst_per"` // BurstPer is the time that Burst counts for.
	// Sustained is how many requests a caller may make in SustainedPer.
	Sustained    int64         `yaml:"sustained"`
	SustainedPer time.Duration `yaml:"sustained_per"` // SustainedPer is the time that Sustained counts for.
}

// DefaultConfig confines jobs and runs a few at once.
func DefaultConfig() Config {
	return Config{
		Config:   runner.DefaultConfig(),
		Requests: Requests{Burst: 300, BurstPer: 10 * time.Second, Sustained: 12_000, SustainedPer: time.Hour},
	}
}

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	bad := []error{c.Config.Validate()}
	for name, d := range map[string]time.Duration{
		"burst_per": c.Requests.BurstPer, "sustained_per": c.Requests.SustainedPer,
	} {
		if d <= 0 {
			bad = append(bad, fmt.Errorf("pipelines.requests.%s must be above 0, not %s", name, d))
		}
	}
	if c.Requests.Burst < 1 || c.Requests.Sustained < 1 {
		bad = append(bad, errors.New("pipelines.requests.burst and sustained must be above 0"))
	}
	return errors.Join(bad...)
}
