package local

import (
	"errors"
	"fmt"
	"runtime"
	"time"
)

// Config is how the engine runs models on this machine.
type Config struct {
	// Engine is the engine program; empty is the one that belongs to this
	// binary. Libraries is the folder of its shared libraries; empty is what
	// stoa models pull has fetched.
	Engine string `yaml:"engine"`
	// Libraries is the folder of the shared libraries; empty is what stoa models pull fetched.
	Libraries string `yaml:"libraries"`
	// Threads is how many cores one model uses; 0 leaves one core free.
	Threads int `yaml:"threads"`
	// Context is how many tokens a conversation may have, Slots how many
	// conversations are remembered at once, so that they go on quickly.
	Context int `yaml:"context"`
	Slots   int `yaml:"slots"` // Slots is how many conversations are remembered at once.
	// Queue is how many requests a model may have under way; more are refused.
	Queue int `yaml:"queue"`
	// Idle is how long a model without work stays in memory.
	Idle time.Duration `yaml:"idle"`
}

// DefaultConfig serves a small model on a small machine.
func DefaultConfig() Config {
	return Config{Context: 4096, Slots: 2, Queue: 16, Idle: 15 * time.Minute}
}

// Validate reports what makes no sense.
func (c Config) Validate() error {
	switch {
	case c.Threads < 0 || c.Threads > 512:
		return fmt.Errorf("generate.local.threads must be 0 to 512, not %d", c.Threads)
	case c.Context < 256 || c.Slots < 1 || c.Slots > 64 || c.Queue < 1 || c.Queue > 1024 || c.Idle <= 0:
		return errors.New(
			"generate.local: context must be 256 or more, slots 1 to 64, queue 1 to 1024, idle above 0")
	}
	return nil
}

// threads leaves a core to everything else: the engine's threads wait for each
// other in a circle, and one that has to share its core holds up all.
func (c Config) threads() int {
	if c.Threads > 0 {
		return c.Threads
	}
	return max(1, runtime.NumCPU()-1)
}
