package forge

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"stoa.dev/stoa/internal/forge/git"
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
	// Processes is how many git programs may serve clients at once; there are
	// fewer where memory is short. A caller, or a network without a credential,
	// has a quarter of them, all callers without a credential a half.
	Processes int `yaml:"processes"`
	// Memory is what all git programs may take together, in bytes; 0 follows
	// from the memory of the machine or container. Each slot has an equal part.
	Memory int64 `yaml:"memory"`
	// Spool is how many bytes of requests and answers may lie in temporary
	// files of the folder at once.
	Spool int64 `yaml:"spool"`
	// Requests is how many git requests a minute a caller may make, or a network
	// without a credential.
	Requests int64 `yaml:"requests"`
	// MaxRefs is how many branches and tags one push may change.
	MaxRefs int `yaml:"max_refs"`
	// MaxObjects is how many objects one push may bring.
	MaxObjects int `yaml:"max_objects"`
	// MaxRepository is how large a repository may become by a push, in bytes,
	// and any one file of it.
	MaxRepository int64 `yaml:"max_repository"`
	// KeptPushes is how many of its newest pushes a repository keeps on record,
	// one for each branch or tag that changed; before them only their number is kept.
	KeptPushes int `yaml:"kept_pushes"`
	// PushLife is how long a push is kept on record.
	PushLife time.Duration `yaml:"push_life"`
}

// day is how often records of pushes are looked at.
const day = 24 * time.Hour

// DefaultConfig suits repositories of ordinary size.
func DefaultConfig() Config {
	return Config{
		Git: "git", MaxPush: 1 << 30, Timeout: 10 * time.Minute, Processes: 16, MaxRefs: 5000,
		Spool: 8 << 30, Requests: 1200, MaxObjects: 1_000_000, MaxRepository: 10 << 30,
		KeptPushes: 1000, PushLife: 90 * day,
	}
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
	if c.Memory < 0 || c.Memory > 0 && c.Memory < git.MinMemory {
		bad = append(bad, fmt.Errorf("forge.memory must be 0 or at least %d, not %d", git.MinMemory, c.Memory))
	}
	if c.Spool < c.MaxPush {
		bad = append(bad, fmt.Errorf("forge.spool must be at least forge.max_push, not %d", c.Spool))
	}
	if c.Requests < 1 {
		bad = append(bad, fmt.Errorf("forge.requests must be above 0, not %d", c.Requests))
	}
	if c.MaxObjects < 1 {
		bad = append(bad, fmt.Errorf("forge.max_objects must be above 0, not %d", c.MaxObjects))
	}
	if c.MaxRepository < 1<<20 {
		bad = append(bad, fmt.Errorf("forge.max_repository must be at least %d, not %d", 1<<20, c.MaxRepository))
	}
	if c.KeptPushes < 1 {
		bad = append(bad, fmt.Errorf("forge.kept_pushes must be above 0, not %d", c.KeptPushes))
	}
	if c.PushLife < day {
		bad = append(bad, fmt.Errorf("forge.push_life must be at least %s, not %s", day, c.PushLife))
	}
	return errors.Join(bad...)
}

// gitOptions are those of the program, for repositories below the data folder
// unless Dir says otherwise.
func (c Config) gitOptions(data string, memory int64) git.Options {
	o := git.Options{
		Program: c.Git, Dir: c.Dir, Timeout: c.Timeout, Processes: c.Processes, Memory: c.Memory,
		TempFiles: c.Spool, MaxPush: c.MaxPush, MaxRepository: c.MaxRepository,
	}
	if o.Dir == "" {
		o.Dir = filepath.Join(data, "git")
	}
	if o.Memory == 0 {
		o.Memory = memory
	}
	return o
}
