package forge

import (
	"errors"
	"fmt"
	"time"
)

// Config bounds what git may do.
type Config struct {
	// Git is the program that packs and unpacks, by name or path.
	Git string `yaml:"git"`
	// Dir is the folder of the repositories; empty means git in the data
	// folder. Several processes on one database share it.
	Dir string `yaml:"dir"`
	// MaxPush is the largest push in bytes.
	MaxPush int64 `yaml:"max_push"`
	// Timeout bounds one clone, fetch or push.
	Timeout time.Duration `yaml:"timeout"`
	// Processes is how many git programs may serve clients at once.
	Processes int `yaml:"processes"`
	// MaxRefs is how many branches and tags one push may change.
	MaxRefs int `yaml:"max_refs"`
}

// DefaultConfig suits repositories of ordinary size.
func DefaultConfig() Config {
	return Config{Git: "git", MaxPush: 1 << 30, Timeout: 10 * time.Minute, Processes: 16, MaxRefs: 5000}
}

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	var bad []error
	if c.Git == "" {
		bad = append(bad, errors.New("forge.git: name the git program"))
	}
	if c.MaxPush < 1 {
		bad = append(bad, fmt.Errorf("forge.max_push must be above 0, not %d", c.MaxPush))
	}
	if c.Timeout < time.Second {
		bad = append(bad, fmt.Errorf("forge.timeout must be at least 1s, not %s", c.Timeout))
	}
	if c.Processes < 1 {
		bad = append(bad, fmt.Errorf("forge.processes must be above 0, not %d", c.Processes))
	}
	if c.MaxRefs < 1 {
		bad = append(bad, fmt.Errorf("forge.max_refs must be above 0, not %d", c.MaxRefs))
	}
	return errors.Join(bad...)
}
