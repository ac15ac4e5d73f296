package world

import (
	"os"
	"os/exec"
	"sync"
	"testing"
)

// Node runs a script of the npm folder with the demo world's variables and
// those given, and returns what it printed. What it drives is noted as the npm
// client's.
func (s *Server) Node(t testing.TB, dir, script string, env ...string) string {
	t.Helper()
	install(t, dir)
	return s.script(t, "npm", dir, exec.Command("node", script), env)
}

// script runs a client's program; what it drives is noted under the client's
// kind, and what went before under Go's.
func (s *Server) script(t testing.TB, kind, dir string, run *exec.Cmd, env []string) string {
	t.Helper()
	s.note(t, "go")
	run.Dir, run.Env = dir, s.variables(env)
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", run.Args, err, out)
	}
	s.note(t, kind)
	return string(out)
}

// variables are those of this process, the demo world's and the further ones.
func (s *Server) variables(further []string) []string {
	all := append(os.Environ(), "STOA_BINARY="+s.Binary, "STOA_DATA="+s.Data)
	for name, value := range s.Env {
		all = append(all, name+"="+value)
	}
	return append(all, further...)
}

// install fetches the packages that dir/package-lock.json pins.
func install(t testing.TB, dir string) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	install := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--silent", "--ignore-scripts")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci in %s: %v\n%s", dir, err, out)
	}
}

// servers finds the server of the variables that Start returned.
var servers sync.Map

// Node is Server.Node for a world of Start.
func Node(t testing.TB, dir, script string, env map[string]string) {
	t.Helper()
	found, ok := servers.Load(env["STOA_URL"])
	if !ok {
		t.Fatalf("no server of Start is at %q", env["STOA_URL"])
	}
	var further []string
	for name, value := range env {
		further = append(further, name+"="+value)
	}
	found.(*Server).Node(t, dir, script, further...)
}
