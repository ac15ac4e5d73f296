package cli_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// What only looks, and what is refused, leaves no folder behind.
func TestNoFolderIsMadeInPassing(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file := write("listen: {https: '127.0.0.1:0', cert_file: /none, key_file: /none}")
	group := write("listen: {kms_group: no such group}")
	socket := filepath.Join(t.TempDir(), "kms.sock")
	for _, row := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"list users", []string{"user", "list"}, 3, "there is no data folder"},
		{"list keys", []string{"kms", "keys"}, 3, "start --wait"},
		{"destroy a key", []string{"kms", "destroy", "x"}, 3, "there is no data folder"},
		{"ask a plugin that is not there", []string{"kms", "check", socket}, 1, "is the server running with --kms-socket?"},
		{"doctor", []string{"doctor"}, 0, ""},
		{"status", []string{"status"}, 3, "no server runs"},
		{"bad database", []string{"serve", "--database", "mysql://x"}, 6, "database.url"},
		{"bad database, background", []string{"start", "--database", "mysql://x"}, 6, "database.url"},
		{"demo for everybody", []string{"serve", "--demo", "--listen", "0.0.0.0:0"}, 6, "loopback only"},
		{"demo for everybody, background", []string{"start", "--demo", "--listen", "0.0.0.0:0"}, 6, "loopback only"},
		{"no such port", []string{"serve", "--listen", "127.0.0.1:65536"}, 6, "65536"},
		{"no such port, HTTPS", []string{"serve", "--https", "127.0.0.1:65536"}, 6, "65536"},
		{"taken address, HTTPS", []string{
			"serve", "--listen", "127.0.0.1:0", "--https", taken.Addr().String(),
		}, 1, "--https"},
		{"no such dialect", []string{"serve", "--dialect", "doric"}, 2, "dialect"},
		{"no such form of log", []string{"serve", "--log", "xml"}, 2, "--log"},
		{"no such file", []string{"serve", "--config", file + ".none"}, 6, "file.none"},
		{"no certificate", []string{"serve", "--config", file, "--listen", "127.0.0.1:0"}, 6, "cert_file"},
		{"no certificate, background", []string{"start", "--config", file, "--listen", "127.0.0.1:0"}, 6, "cert_file"},
		{"abstract socket", []string{"serve", "--listen", "127.0.0.1:0", "--kms-socket", "@x"}, 6, "abstract"},
		{"abstract socket, background", []string{"start", "--kms-socket", "@x"}, 6, "abstract"},
		{"a file for a socket", []string{"serve", "--listen", "127.0.0.1:0", "--kms-socket", file}, 1, "not a socket"},
		{"no folder for the socket", []string{
			"serve", "--listen", "127.0.0.1:0", "--kms-socket", filepath.Join(file+".none", "s"),
		}, 1, "--kms-socket"},
		{"no such group for the socket", []string{
			"serve", "--listen", "127.0.0.1:0", "--config", group, "--kms-socket", socket,
		}, 1, "no such group"},
		{"no such database server", []string{
			"serve", "--listen", "127.0.0.1:0", "--database", "postgres://127.0.0.1:1/x",
		}, 1, "check --database"},
		{"worker", []string{"worker"}, 6, "STOA_ROOT_KEY"},
		{"taken address", []string{"serve", "--listen", taken.Addr().String()}, 1, taken.Addr().String() + " is in use\n"},
		{"taken address, background", []string{"start", "--listen", taken.Addr().String()}, 1, "takes a free one"},
		{"taken address, whose", []string{"serve", "--listen", taken.Addr().String()}, 1, portHint()},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			data := filepath.Join(t.TempDir(), "d")
			r := run(t, "", append(row.args, "--data", data)...)
			if r.code != row.code || !strings.Contains(r.stderr, row.want) {
				t.Errorf("exit %d %q, want %d and %q", r.code, r.stderr, row.code, row.want)
			}
			if _, err := os.Stat(data); !os.IsNotExist(err) {
				t.Errorf("the data folder is there: %v", err)
			}
		})
	}
}

// Who may not read a folder is told who may. Root may read every one: the test runs itself again
// without that.
func TestFolderOfAnotherUser(t *testing.T) {
	t.Parallel()
	const again = "FOLDER_OF_ANOTHER_USER"
	if os.Geteuid() == 0 && os.Getenv(again) == "" {
		c := exec.CommandContext(t.Context(), "setpriv", "--bounding-set=-dac_override,-dac_read_search", os.Args[0],
			"-test.run=^TestFolderOfAnotherUser$")
		c.Env = append(os.Environ(), again+"=yes")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("without the rights of root: %v\n%s", err, out)
		}
		return
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"status", "stop", "doctor"} {
		r := run(t, "", command, "--data", dir)
		if r.code != 1 || !strings.Contains(inOneLine(r.stdout+r.stderr), "run it as a user who may read and write there") {
			t.Errorf("%s: exit %d %q %q", command, r.code, r.stdout, r.stderr)
		}
	}
}

// What the system says about a folder comes with the next step.
func TestFoldersThatCannotBe(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	loop := filepath.Join(t.TempDir(), "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	broken := t.TempDir()
	junk := []byte(strings.Repeat("not a database ", 100))
	if err := os.WriteFile(filepath.Join(broken, "stoa.db"), junk, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		args []string
		want string
	}{
		{"serve from a file", []string{"serve", "--data", file}, "there is a file where the folder should be"},
		{"start from a file", []string{"start", "--data", file}, "there is a file where the folder should be"},
		{"ask a file", []string{"user", "list", "--data", file}, "there is a file where the folder should be"},
		{"examine a file", []string{"doctor", "--data", file}, "data folder: " + file + " is a file"},
		{"examine what cannot be read", []string{"doctor", "--data", loop}, "data folder: stat "},
		{"no database in the file", []string{"user", "list", "--data", broken}, "restore stoa.db from a backup"},
		{"a socket in no folder", []string{
			"serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--kms-socket", filepath.Join(broken, "no", "kms.sock"),
		}, "make the folder " + filepath.Join(broken, "no") + " first"},
		{"no server at the address", []string{
			"serve", "--data", t.TempDir(), "--database", "postgres://127.0.0.1:1/x",
		}, "check --database"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, "", row.args...)
			if r.code != 1 || !strings.Contains(r.stderr, row.want) || strings.Contains(r.stderr, "http://admin") ||
				strings.Count(r.stderr, file) > 1 {
				t.Errorf("exit %d %q, want 1 and %q", r.code, r.stderr, row.want)
			}
		})
	}
}

func TestNearestWords(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		args []string
		want []string
	}{
		{[]string{"hepl"}, []string{`unknown command "hepl"`, "did you mean stoa help?"}},
		{[]string{"help", "srve"}, []string{`unknown command "srve"`, "did you mean stoa serve?"}},
		{[]string{"sevre"}, []string{`unknown command "sevre"`, "did you mean stoa serve?", "see stoa --help"}},
		{[]string{"serv"}, []string{`unknown command "serv"`, "did you mean stoa serve? see stoa --help"}},
		{[]string{"user", "lst"}, []string{
			`unknown command "user lst"`, "did you mean stoa user list", "see stoa user --help",
		}},
		{[]string{"kms", "zzzzz"}, []string{`unknown command "kms zzzzz"`, "see stoa kms --help"}},
		{[]string{"serve", "--lisen", "x"}, []string{
			"unknown flag: --lisen", "did you mean --listen? see stoa serve --help",
		}},
		{[]string{"user", "list", "--jsn"}, []string{"did you mean --json? see stoa user list --help"}},
		{[]string{"user", "list", "--zzzzzz"}, []string{"unknown flag: --zzzzzz"}},
		{[]string{"requests", "list", "x", "--operation", "tasks.lst"}, []string{
			`"tasks.lst" is not an operation`, "stoa open docs",
		}},
		{[]string{"clock", "advance", "x", "--by", "1h", "--to", "2027-01-01T00:00:00Z"}, []string{
			"--by and --to exclude each other",
		}},
		{[]string{"exec"}, []string{"COMMAND is missing", "see stoa exec --help"}},
	} {
		r := run(t, "", row.args...)
		for _, want := range row.want {
			if r.code != 2 || !strings.Contains(r.stderr, want) {
				t.Errorf("%v: exit %d %q, want 2 and %q", row.args, r.code, r.stderr, want)
			}
		}
	}
}

// TestNothingToChange: a command that changes what is named refuses to be told nothing.
func TestNothingToChange(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, path := range allCommands(t) {
		group, set := strings.CutSuffix(path, " set")
		if !set || group == "clock" || group == "calendar" { // their values are arguments
			continue
		}
		tried++
		if r := run(t, "", append(strings.Fields(path), "x", "--data", t.TempDir())...); r.code != 2 ||
			!strings.Contains(r.stderr, " --") {
			t.Errorf("%s: exit %d %q, want 2 and the flags", path, r.code, r.stderr)
		}
	}
	if tried < 5 {
		t.Errorf("%d commands were tried, want at least 5", tried)
	}
}

// Every command stands under a heading, in the same spelling.
func TestHelpIsArranged(t *testing.T) {
	t.Parallel()
	r := run(t, "", "--help")
	for _, want := range []string{"\nRun:\n", "\nUse:\n", "\nUsers and credentials:\n", "\nServices:\n"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("help lacks %q:\n%s", want, r.stdout)
		}
	}
	for line := range strings.Lines(r.stdout) {
		if strings.Contains(line, "Commands about") {
			t.Errorf("%q has no summary", line)
		}
	}
	_, rest, _ := strings.Cut(r.stdout, "Additional Commands:\n")
	if rest, _, _ = strings.Cut(rest, "\n\n"); len(strings.Fields(rest)) > 0 && strings.Count(rest, "\n") > 0 {
		t.Errorf("commands without a heading:\n%s", rest)
	}
	if v := run(t, "", "--version"); v.stdout != "stoa v0.0.0-test\n" {
		t.Errorf("version = %q", v.stdout)
	}
}

// TestHelpFits: the help of every command has a summary and fits a terminal of 80 columns; commands to be copied
// may be longer.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	for _, path := range allCommands(t) {
		r := run(t, "", append(strings.Fields(path), "--help")...)
		examples := false
		for line := range strings.Lines(r.stdout) {
			line = strings.TrimRight(line, "\n")
			if strings.HasSuffix(line, ":") {
				examples = line == "Examples:" || line == "Usage:"
			}
			if len([]rune(line)) > 80 && !examples && !strings.HasPrefix(line, "    stoa ") {
				t.Errorf("stoa %s --help: %q has %d columns", path, line, len([]rune(line)))
			}
			if strings.Contains(line, "Commands about") {
				t.Errorf("stoa %s --help: %q is not a summary", path, line)
			}
		}
	}
}

// allCommands are the paths of all commands, as help lists them.
func allCommands(t *testing.T) []string {
	t.Helper()
	all := []string{""}
	entry := regexp.MustCompile(`^  ([a-z-]+)  +\S`)
	for i := 0; i < len(all); i++ {
		commands := false
		for line := range strings.Lines(run(t, "", append(strings.Fields(all[i]), "--help")...).stdout) {
			line = strings.TrimRight(line, "\n")
			if line != "" && !strings.HasPrefix(line, " ") {
				commands = strings.HasSuffix(line, ":") && line != "Flags:" && line != "Usage:" && line != "Examples:" &&
					line != "Global Flags:"
			}
			if found := entry.FindStringSubmatch(line); found != nil && commands && found[1] != "help" {
				all = append(all, strings.TrimSpace(all[i]+" "+found[1]))
			}
		}
	}
	return all
}

// portHint is the command that shows which program has a port, where there is one.
func portHint() string {
	if runtime.GOOS != "linux" {
		return "takes a free one"
	}
	return "ss -ltnp sport = :"
}
