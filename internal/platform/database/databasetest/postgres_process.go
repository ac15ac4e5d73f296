//go:build unix

package databasetest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"sort"
	"strconv"
	"syscall"
)

// missingError is a machine without PostgreSQL.
type missingError struct{}

func (*missingError) Error() string {
	return "no PostgreSQL on this machine; install it with: sudo apt-get install postgresql (or: brew install postgresql)"
}

// findBinaries is the folder with initdb and postgres, the newest if several.
func findBinaries() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	var found []string
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin/initdb", "/usr/pgsql-*/bin/initdb", "/usr/local/pgsql/bin/initdb",
		"/opt/homebrew/opt/postgresql*/bin/initdb", "/usr/local/opt/postgresql*/bin/initdb",
	} {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			return "", err
		}
		found = append(found, matches...)
	}
	if len(found) == 0 {
		return "", &missingError{}
	}
	sort.Strings(found)
	return filepath.Dir(found[len(found)-1]), nil
}

// account is a user of this machine.
type account struct{ uid, gid int }

// serverAccount is whom PostgreSQL runs as: it refuses to be root.
func serverAccount() (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.Atoi(u.Uid)
		gid, gidErr := strconv.Atoi(u.Gid)
		if uidErr == nil && gidErr == nil {
			return &account{uid: uid, gid: gid}, nil
		}
	}
	return nil, fmt.Errorf("PostgreSQL does not run as root and there is none of the users postgres, nobody")
}

// command runs one of PostgreSQL's programs as its owner, in a session of its
// own, so that an interrupted test run does not take the cluster with it.
func (c *cluster) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(c.binaries, name), args...)
	cmd.Dir = c.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if c.owner != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(c.owner.uid), Gid: uint32(c.owner.gid)}
	}
	return cmd
}

// initdb prefers a collation that sorts as dictionaries do, so that a column that
// forgot to sort by bytes is noticed.
func (c *cluster) initdb(ctx context.Context) error {
	args := []string{"-D", c.path("data"), "-U", "stoa", "-A", "trust", "-E", "UTF8", "--no-sync", "--no-instructions",
		"--locale=C"}
	if err := c.command(ctx, "initdb", append(args, "--locale-provider=icu", "--icu-locale=en-US")...).Run(); err == nil {
		return nil
	}
	// The options are refused before anything is written by a PostgreSQL that
	// was built without ICU.
	var out bytes.Buffer
	cmd := c.command(ctx, "initdb", args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out.Bytes())
	}
	return nil
}

// launch starts PostgreSQL and the watchdog. Both outlive this process, so
// they get files of their own: go test waits for every process that holds its output.
func (c *cluster) launch() error {
	log, err := os.Create(c.path("log"))
	if err != nil {
		return err
	}
	defer log.Close()
	// Durability is worth nothing here, speed is. Sockets only.
	args := []string{"-D", c.path("data"), "-k", c.path("socket"), "-h", "", "-F",
		"-c", "synchronous_commit=off", "-c", "full_page_writes=off", "-c", "wal_level=minimal", "-c", "max_wal_senders=0",
		"-c", "max_connections=400", "-c", "shared_buffers=64MB", "-c", "max_wal_size=4GB",
		"-c", "checkpoint_timeout=1d", "-c", "autovacuum=off", "-c", "jit=off"}
	postgres := c.command(context.Background(), "postgres", append(args, c.settings...)...)
	postgres.Stdout, postgres.Stderr = log, log
	if err := postgres.Start(); err != nil {
		return err
	}
	if err := postgres.Process.Release(); err != nil {
		return err
	}
	watchdog := exec.Command("/bin/sh", "-c", watchdogScript, "stoa-pgtest-watchdog", c.dir, strconv.Itoa(c.idle))
	watchdog.Dir = "/"
	watchdog.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := watchdog.Start(); err != nil {
		return err
	}
	return watchdog.Process.Release()
}

// watchdogScript stops the cluster of the folder $1 when no registered process
// has lived for $2 seconds. It also ends when the cluster is gone or was
// replaced by another one.
const watchdogScript = `
dir=$1
server=$(head -n 1 "$dir/data/postmaster.pid" 2>/dev/null)
alive() {
	found=1
	for f in "$dir"/users/*; do
		[ -e "$f" ] || continue
		if kill -0 "${f##*/}" 2>/dev/null; then found=0; else rm -f "$f"; fi
	done
	return $found
}
idle=0
while [ -d "$dir/users" ]; do
	sleep 1
	now=$(head -n 1 "$dir/data/postmaster.pid" 2>/dev/null)
	[ -n "$server" ] || server=$now
	[ "$now" = "$server" ] || exit 0
	if alive; then idle=0; continue; fi
	idle=$((idle + 1))
	[ $idle -ge "$2" ] || continue
	: > "$dir/closing" || exit 0
	if alive; then rm -f "$dir/closing"; idle=0; continue; fi
	kill -QUIT "$server" 2>/dev/null
	mv "$dir" "$dir.gone.$$" && rm -rf "$dir.gone.$$"
	exit 0
done
`

// kill stops the server of a folder that is about to be removed.
func (c *cluster) kill() {
	if pid := c.process(); pid != 0 {
		_ = syscall.Kill(pid, syscall.SIGQUIT) // or gone already
	}
}

// process is the server's, 0 when it was never started or has ended.
func (c *cluster) process() int {
	raw, err := os.ReadFile(c.path("data", "postmaster.pid"))
	if err != nil {
		return 0
	}
	line, _, _ := bytes.Cut(raw, []byte("\n"))
	pid, err := strconv.Atoi(string(line))
	if err != nil || pid <= 1 {
		return 0
	}
	// The file may be older than the machine's last start: the process counts
	// only if it is a PostgreSQL on this folder.
	args, err := exec.Command("ps", "-o", "args=", "-p", strconv.Itoa(pid)).Output()
	if err != nil || !bytes.Contains(args, []byte(c.path("data"))) {
		return 0
	}
	return pid
}

func (c *cluster) log() []byte {
	raw, err := os.ReadFile(c.path("log"))
	if err != nil {
		return []byte(err.Error())
	}
	return raw[max(0, len(raw)-4096):]
}
