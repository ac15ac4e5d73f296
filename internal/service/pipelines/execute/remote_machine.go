package execute

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"stoa.dev/stoa/internal/platform/sandbox"
)

// Remote runs the shell of a node on another machine.
type Remote interface {
	// Folders are those of a node as its programs see them: its home, and what we give it.
	// In the second, the folder pipes has a named pipe for each descriptor of steps in the
	// background.
	Folders() (home, share string)
	// Run does what a sandbox does with a spec: it copies Dir to the home and ReadOnly to
	// where they are seen, runs a shell with the descriptors of the spec, and returns when it
	// has ended or ctx has. Env is empty: the shell gets it by its input.
	Run(ctx context.Context, t *Task, spec sandbox.Spec) (sandbox.Exit, error)
}

// remoteEnvironment is shell text that sets what every step sees.
func (n *node) remoteEnvironment() string {
	var b strings.Builder
	for _, entry := range n.environment() {
		name, value, _ := strings.Cut(entry, "=")
		if isShellName(name) {
			fmt.Fprintf(&b, "export %s=%s; ", name, quote(value))
		}
	}
	fmt.Fprintf(&b, "export HOME=%[1]s; cd %[1]s", quote(n.home))
	return b.String()
}

// isShellName reports whether a shell can set a variable; a program could be given others.
func isShellName(name string) bool {
	for i, c := range name {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// copyFolder packs a folder of this machine and has the shell unpack it.
func (n *node) copyFolder(st *step, from, to string) (int, error) {
	content, packed := io.Pipe()
	go func() {
		w := tar.NewWriter(packed)
		err := w.AddFS(os.DirFS(from))
		_ = packed.CloseWithError(errors.Join(err, w.Close())) // never fails
	}()
	code, err := n.session.push(fmt.Sprintf("mkdir -p %[1]s && tar -x -o -f - -C %[1]s", quote(to)), n.quiet(st), content)
	_ = content.CloseWithError(errTaken) // never fails
	return code, err
}
