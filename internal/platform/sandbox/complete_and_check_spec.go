package sandbox

import (
	"fmt"
	"path/filepath"
	"strings"
)

// DefaultHome is where the work folder is seen inside.
const DefaultHome = "/home/stoa"

// path is where programs are looked for inside.
const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/go/bin"

// maxVariables keeps the arguments of bubblewrap below its own bound.
const maxVariables = 2000

// complete fills in defaults and refuses what cannot be run safely.
func (s Spec) complete(c Config) (Spec, error) {
	orElse := func(v *int64, otherwise int64) {
		if *v <= 0 {
			*v = otherwise
		}
	}
	orElse(&s.Memory, 4<<30)
	orElse(&s.Disk, 10<<30)
	orElse(&s.Temporary, 1<<30)
	orElse(&s.Output, 64<<20)
	orElse(&s.FileSize, s.Disk)
	if s.Processes <= 0 {
		s.Processes = 1024
	}
	if s.Open <= 0 {
		s.Open = 4096
	}
	if s.Home == "" {
		s.Home = DefaultHome
	}
	if c.Mode == ModeHost {
		s.Home = s.Dir
	}
	if s.Work == "" {
		s.Work = s.Home
	}
	return s, s.validate(c)
}

func (s Spec) validate(c Config) error {
	switch {
	case len(s.Args) == 0 || s.Args[0] == "":
		return fmt.Errorf("%w: no program is named", ErrSpec)
	case !filepath.IsAbs(s.Dir) || !filepath.IsAbs(s.Home) || !filepath.IsAbs(s.Work):
		return fmt.Errorf("%w: the folders %q, %q and %q must be absolute", ErrSpec, s.Dir, s.Home, s.Work)
	case s.Network && !c.Network && c.Mode == ModeSandbox:
		return fmt.Errorf("%w: the network was asked for and the operator has not allowed it (sandbox.network: true)",
			ErrSpec)
	case len(s.Env) > maxVariables:
		return fmt.Errorf("%w: %d environment variables, at most %d", ErrSpec, len(s.Env), maxVariables)
	}
	for _, v := range s.Env {
		if name, _, ok := strings.Cut(v, "="); !ok || name == "" {
			return fmt.Errorf("%w: the environment entry of %d bytes has no name", ErrSpec, len(v))
		}
	}
	// The arguments travel to bubblewrap separated by NUL bytes: one inside
	// would turn a value into an option.
	for _, list := range [][]string{s.Args, s.Env, {s.Dir, s.Home, s.Work}} {
		for _, v := range list {
			if strings.ContainsRune(v, 0) {
				return fmt.Errorf("%w: a NUL byte in an argument, a variable or a path", ErrSpec)
			}
		}
	}
	for _, m := range s.ReadOnly {
		if !filepath.IsAbs(m.Host) || !filepath.IsAbs(m.Inside) || strings.ContainsRune(m.Host+m.Inside, 0) {
			return fmt.Errorf("%w: %q at %q must both be absolute paths", ErrSpec, m.Host, m.Inside)
		}
	}
	return nil
}

// variables is the whole environment of the program; later entries win.
func (s Spec) variables() []string {
	return append([]string{
		"PATH=" + path, "HOME=" + s.Home, "USER=stoa", "LOGNAME=stoa", "LANG=C.UTF-8", "TERM=dumb", "TMPDIR=/tmp",
	}, s.Env...)
}
