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

// Place makes the folder.
func (s *Sandbox) Place(dir string) (string, error) { return dir, os.MkdirAll(dir, 0o700) }

// Places is empty: every server keeps to its folder.
func (s *Sandbox) Places() []string { return nil }

// End does nothing: nothing was started.
func (s *Sandbox) End(string) {}

// Give does nothing: programs run as the server.
func (s *Sandbox) Give(string, string) error { return nil }

// Remove deletes a folder with everything in it.
func Remove(dir string) error { return os.RemoveAll(dir) }

func (s *Sandbox) start(Spec, *streams, *tap) (program, error) { return nil, errPlatform }
