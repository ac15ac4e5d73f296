package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
)

// Mode says whether programs are confined.
type Mode string

// The modes. There is no mode that picks for itself.
const (
	// ModeSandbox confines every program with bubblewrap.
	ModeSandbox Mode = "sandbox"
	// ModeHost runs programs with the rights of the server. It is for machines
	// that are themselves disposable.
	ModeHost Mode = "host"
)

// Config is what an operator decides about confinement.
type Config struct {
	// Mode is sandbox or host. The service that runs programs has a setting for
	// it and a name for that setting.
	Mode Mode `yaml:"-"`
	// Program is the bubblewrap program, found in PATH unless it is a path.
	Program string `yaml:"program"`
	// ReadOnly names further host folders that programs may read, each shown at
	// its own path: toolchains outside /usr, for example.
	ReadOnly []string `yaml:"read_only"`
	// Network allows a Spec to ask for the network of the host. Without it such
	// a Spec is refused.
	Network bool `yaml:"network"`
	// Cgroup is a cgroup v2 folder delegated to the server. With it memory,
	// processes and processors are limited for the whole run; without it the
	// limits are those of the kernel for each process, and a watch over the sum.
	Cgroup string `yaml:"cgroup"`
	// Memory bounds the memory of all runs of this process together, in bytes;
	// zero is three quarters of what the machine or container has. The largest
	// run ends when it is passed.
	Memory int64 `yaml:"memory"`
	// FirstUser is the first of 65536 numeric user ids that a server running as
	// root gives to its programs, one per work folder. No account may use them.
	FirstUser int `yaml:"first_user"`
}

// firstUser lies above what distributions hand out and below the ids that
// container tools map by default.
const firstUser = 0x2F000000

// DefaultConfig confines, without network.
func DefaultConfig() Config {
	return Config{Mode: ModeSandbox, Program: "bwrap", FirstUser: firstUser}
}

// Validate reports what is wrong with the configuration.
func (c Config) Validate() error {
	var bad []error
	if c.Mode != ModeSandbox && c.Mode != ModeHost {
		bad = append(bad, fmt.Errorf("mode: %q is neither %q nor %q", c.Mode, ModeSandbox, ModeHost))
	}
	if c.Program == "" && c.Mode == ModeSandbox {
		bad = append(bad, errors.New("program: name the bubblewrap program, usually bwrap"))
	}
	for _, dir := range append([]string{c.Cgroup}, c.ReadOnly...) {
		if dir != "" && !filepath.IsAbs(dir) {
			bad = append(bad, fmt.Errorf("%q is not an absolute path", dir))
		}
	}
	if c.Memory < 0 {
		bad = append(bad, fmt.Errorf("memory: %d is negative", c.Memory))
	}
	if c.FirstUser < 1000 {
		bad = append(bad, fmt.Errorf("first_user: %d belongs to the system; choose 1000 or more", c.FirstUser))
	}
	return errors.Join(bad...)
}
