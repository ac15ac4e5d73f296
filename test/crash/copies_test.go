package crash_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"stoa.dev/stoa/test/program"
)

// copying is a copy of everything that a command makes while a server runs: a backup or a
// saved world. One of the two processes is killed in the middle, at each of the moments that
// what lies in the folders tells apart.
type copying struct {
	binary, data string
	server       []string // arguments of its start
	command      string   // serve when empty
	random       *rand.Rand
	// args make a copy of this name.
	args func(name string) []string
	// begin is called before each copy; nil does nothing.
	begin func()
	// moment says how far the copy of this name is; the last is that it is whole.
	moment func(name string) string
	// usable fails where a copy of this name that is offered is not whole.
	usable func(t *testing.T, p *program.Process, name string)
	// offered reports whether the copy of this name is offered.
	offered func(t *testing.T, p *program.Process, name string) bool
	// client kills the command instead of the server.
	client bool
}

// copyTries bounds how often a moment is waited for: on a busy machine it may pass unseen.
const copyTries = 60

// run kills so often at each of these moments.
func (c *copying) run(t *testing.T, moments ...string) {
	t.Helper()
	each, killed, whole, tries := often(1, 5), map[string]int{}, 0, 0
	p := c.start(t)
	for _, wanted := range moments {
		for killed[wanted] < each && !t.Failed() {
			if tries++; tries > copyTries*len(moments) {
				t.Fatalf("the moment %q was met %d times in %d tries, want %d: %v", wanted, killed[wanted], tries, each, killed)
			}
			name := fmt.Sprintf("copy-%d", tries)
			at := c.cut(t, p, name, wanted)
			killed[at]++
			if p = c.recovered(t, p, name); c.offered(t, p, name) {
				c.usable(t, p, name)
				whole++
				continue
			}
			c.repeat(t, name)
			if !c.offered(t, p, name) {
				t.Fatalf("%s, killed when %s: the repeat succeeded and made nothing", name, at)
			}
			c.usable(t, p, name)
		}
	}
	p.Kill()
	t.Logf("%d processes ended while a copy was made, by how far it was: %v; %d of the copies were whole all the same",
		tries, killed, whole)
}

func (c *copying) start(t *testing.T) *program.Process {
	t.Helper()
	p, err := program.Start(t.Context(), program.Options{
		Binary: c.binary, Command: c.command, Data: c.data, Args: c.server, Env: []string{"STOA_LOG_LEVEL=error"},
	})
	if err != nil {
		t.Fatalf("the server does not come back: %v", err)
	}
	t.Cleanup(p.Kill)
	return p
}

// cut makes a copy and kills a process as soon as the copy is as far as wanted, or a moment
// later. It returns how far it was then.
func (c *copying) cut(t *testing.T, p *program.Process, name, wanted string) string {
	t.Helper()
	if c.begin != nil {
		c.begin()
	}
	cmd := exec.Command(c.binary, c.args(name)...)
	cmd.Env = program.Environ()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for over := false; !over && c.moment(name) != wanted; {
		select {
		case err := <-ended:
			ended <- err
			over = true
		case <-time.After(50 * time.Microsecond):
		}
	}
	time.Sleep(max(0, time.Duration(c.random.Int64N(int64(4*time.Millisecond))-int64(2*time.Millisecond))))
	if c.client {
		_ = cmd.Process.Kill() // it may have ended
		<-ended
		return c.moment(name)
	}
	p.Kill()
	at := c.moment(name)
	<-ended // it is told that the server is gone, and tidies up
	return at
}

// recovered brings the server back where it was killed. Nothing half made is left.
func (c *copying) recovered(t *testing.T, p *program.Process, name string) *program.Process {
	t.Helper()
	if !c.client {
		p = c.start(t)
	}
	for _, half := range []string{"transfer", "unfinished"} {
		err := filepath.WalkDir(filepath.Join(c.data, half), func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Name() == name {
				err = fmt.Errorf("%s is left", path)
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !c.client {
			t.Error(err)
		}
	}
	return p
}

// repeat makes the copy again: at once, or after removing what the refusal names, which is
// what a command that was killed could not remove itself.
func (c *copying) repeat(t *testing.T, name string) {
	t.Helper()
	out, err := c.stoa(t, c.args(name)...)
	if half := filepath.Join(filepath.Dir(c.data), name+".part"); err != nil && c.client &&
		bytes.Contains(out, []byte(half+" exists")) {
		if err := os.RemoveAll(half); err != nil {
			t.Fatal(err)
		}
		out, err = c.stoa(t, c.args(name)...)
	}
	if err != nil {
		t.Fatalf("the repeat fails: %v\n%s", err, out)
	}
}

func (c *copying) stoa(t *testing.T, args ...string) ([]byte, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), c.binary, args...)
	cmd.Env = program.Environ()
	return cmd.CombinedOutput()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// anyMatch reports whether there is a file of the pattern.
func anyMatch(pattern string) bool {
	found, err := filepath.Glob(pattern)
	return err == nil && len(found) > 0
}

// TestKillBackup kills the server, and then the command, while a backup is made: once at
// each moment, five times in full. Under its name there is the whole backup or nothing, what
// is not whole is not restored, and the backup is made when it is asked for again.
func TestKillBackup(t *testing.T) {
	t.Parallel()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, client := range []bool{false, true} {
		t.Run(map[bool]string{false: "server", true: "command"}[client], func(t *testing.T) {
			dir := t.TempDir()
			c := &copying{binary: binary, data: filepath.Join(dir, "data"), client: client, random: newRandom(t)}
			c.server = []string{"--demo"}
			c.start(t).Kill()
			c.server = nil
			folder := func(name string) string { return filepath.Join(dir, name) }
			c.args = func(name string) []string { return []string{"backup", folder(name), "--data", c.data} }
			c.offered = func(_ *testing.T, _ *program.Process, name string) bool { return exists(folder(name)) }
			c.moment = func(name string) string {
				within := filepath.Join(c.data, "transfer", "*", "folder", "0", name)
				switch {
				case exists(folder(name)):
					return "whole"
				case exists(folder(name) + ".part"):
					return "received"
				case anyMatch(within):
					return "sent"
				case anyMatch(within + ".part"):
					return "copied"
				}
				return "asked for"
			}
			c.usable = func(t *testing.T, _ *program.Process, name string) {
				t.Helper()
				if out, err := c.stoa(t, "restore", folder(name), "--data", folder(name)+"-restored"); err != nil {
					t.Fatalf("%s does not restore: %v\n%s", name, err, out)
				}
				if err := os.RemoveAll(folder(name) + "-restored"); err != nil {
					t.Fatal(err)
				}
			}
			if client {
				c.checkHalf(t, folder)
			}
			c.run(t, "asked for", "copied", "received", "whole")
		})
	}
}

// checkHalf: what a killed command leaves of a backup is not restored.
func (c *copying) checkHalf(t *testing.T, folder func(string) string) {
	t.Helper()
	p := c.start(t)
	defer p.Kill()
	for n := range copyTries {
		name := fmt.Sprint("half-", n)
		if at := c.cut(t, p, name, "received"); at != "received" {
			continue
		}
		if out, err := c.stoa(t, "restore", folder(name)+".part", "--data", folder(name)+"-restored"); err == nil {
			t.Errorf("half a backup is restored:\n%s", out)
		}
		if exists(filepath.Join(folder(name)+"-restored", "stoa.db")) {
			t.Error("half a backup made a data folder")
		}
		return
	}
	t.Error("no command was killed while it received a backup")
}

// TestKillSave kills a lab while a world of it is saved: once at each moment, five times in
// full. The saved world is there whole or not at all, and is saved when it is asked for again.
func TestKillSave(t *testing.T) {
	t.Parallel()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := &copying{binary: binary, data: filepath.Join(t.TempDir(), "lab"), command: "lab", random: newRandom(t)}
	lab := func(args ...string) []string { return append(args, "--data", c.data) }
	c.args = func(name string) []string { return lab("world", "save", "default", name) }
	c.offered = func(t *testing.T, _ *program.Process, name string) bool {
		t.Helper()
		out, err := c.stoa(t, lab("world", "saved", "--json")...)
		if err != nil || !json.Valid(out) {
			t.Fatalf("world saved: %v\n%s", err, out)
		}
		return bytes.Contains(out, []byte(`"`+name+`"`))
	}
	bases := func() int {
		found, err := os.ReadDir(filepath.Join(c.data, "bases"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		return len(found)
	}
	before := 0
	c.begin = func() { before = bases() }
	c.moment = func(name string) string {
		switch {
		case exists(filepath.Join(c.data, "saved", name+".json")):
			return "whole"
		case bases() > before:
			return "copied" // for less than a millisecond
		case anyMatch(filepath.Join(c.data, "unfinished", "base*")):
			return "begun"
		}
		return "asked for"
	}
	c.usable = func(t *testing.T, p *program.Process, name string) {
		t.Helper()
		if out, err := c.stoa(t, lab("world", "create", "--name", name, "--from", "snapshot:"+name)...); err != nil {
			t.Fatalf("no world is made of %s: %v\n%s", name, err, out)
		}
		response, err := http.Get(p.URL + "/w/" + name + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != http.StatusOK {
			t.Errorf("the world of %s answers %d", name, response.StatusCode)
		}
		if err := response.Body.Close(); err != nil {
			t.Error(err)
		}
		if out, err := c.stoa(t, lab("world", "delete", name)...); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	c.run(t, "asked for", "begun", "whole")
}

func newRandom(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
