//go:build !linux

package sandbox

import (
	"context"
	"fmt"
	"os"
	"syscall"
)

const (
	killedSignal = syscall.SIGKILL
	killedCode   = 128 + int(killedSignal)
)

var errPlatform = fmt.Errorf("%w: running programs needs Linux; let stoa worker run on a Linux machine", ErrUnavailable)

// Check implements the promise of the package on systems without namespaces.
func (s *Sandbox) Check(context.Context) error { return errPlatform }

// WorkRoot makes the folder.
func (s *Sandbox) WorkRoot(dir string) (string, error) { return dir, os.MkdirAll(dir, 0o700) }

// WorkRoots is empty: every server keeps to its folder.
func (s *Sandbox) WorkRoots() []string { return nil }

// End does nothing: nothing was started.
func (s *Sandbox) End(string) {}

// Chown does nothing: programs run as the server.
func (s *Sandbox) Chown(string, string) error { return nil }

// Remove deletes a folder with everything in it.
func Remove(dir string) error { return os.RemoveAll(dir) }

func (s *Sandbox) start(Spec, *streams, *tap) (program, error) { return nil, errPlatform }
