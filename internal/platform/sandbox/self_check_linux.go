package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// probeTime is how long the probe may take on a busy machine.
const probeTime = 30 * time.Second

// Check says in words why no program can be run here and what to do about it.
// It starts one small program to be sure.
func (s *Sandbox) Check(ctx context.Context) error {
	if s.Confined() {
		if _, err := exec.LookPath(s.config.Program); err != nil {
			return startError(s.config.Program, err)
		}
	}
	root, err := s.WorkRoot(os.TempDir())
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(root, "stoa-check-")
	if err != nil {
		return fmt.Errorf("%w: no temporary folder: %w", ErrUnavailable, err)
	}
	defer func() { _ = Remove(dir) }() // what is left is an empty folder
	var said strings.Builder
	exit, err := s.Run(ctx, Spec{
		Args: []string{"/bin/sh", "-c", "exit 0"}, Dir: dir, Stdout: &said, Stderr: &said, Timeout: probeTime,
	})
	switch {
	case err != nil:
		return err
	case !exit.Success():
		return fmt.Errorf("%w: a program that should do nothing ended with code %d and said: %s", ErrUnavailable,
			exit.Code, strings.TrimSpace(said.String()))
	}
	return nil
}

// setupError explains why bubblewrap gave up before the program began.
func setupError(failure error, said string) error {
	said = strings.TrimSpace(said)
	if said == "" && failure != nil {
		said = failure.Error()
	}
	return fmt.Errorf("%w: bubblewrap could not make the sandbox: %s%s", ErrUnavailable, said, advice(said))
}

// advice names the switch of the system that most likely stands in the way.
func advice(said string) string {
	setting := func(name string) string {
		b, err := os.ReadFile(filepath.Join("/proc/sys", name))
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(b))
	}
	switch {
	case strings.Contains(said, "Unknown option"):
		return "; this bubblewrap is too old, 0.8.0 or newer is needed"
	case setting("user/max_user_namespaces") == "0":
		return "; user namespaces are switched off: sysctl -w user.max_user_namespaces=15000"
	case setting("kernel/unprivileged_userns_clone") == "0":
		return "; user namespaces are switched off for users: sysctl -w kernel.unprivileged_userns_clone=1"
	case setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
		return "; AppArmor restricts user namespaces: install its profile for bwrap (package apparmor-profiles) or " +
			"sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
	case strings.Contains(said, "Operation not permitted") || strings.Contains(said, "Permission denied"):
		return "; in a container, start it with --security-opt seccomp=unconfined --security-opt " +
			"apparmor=unconfined --security-opt systempaths=unconfined, or set the executor to host if the " +
			"container itself is disposable"
	}
	return ""
}
