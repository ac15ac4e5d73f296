//go:build unix

package databasetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"

	"stoa.dev/stoa/internal/platform/clock"
)

// cluster is the throw-away PostgreSQL of this user. Its folder holds
//
//	data, socket  PostgreSQL's own
//	users/PID     one file per test process that uses it
//	closing       present while the watchdog is about to stop it
//
// A lock file beside the folder lets one process at a time start it.
type cluster struct {
	dir      string
	binaries string
	owner    *account // whom PostgreSQL runs as; nil for ourselves
	idle     int      // seconds without users after which it stops
	settings []string // arguments after those that all clusters have
}

// idleSeconds keeps a cluster warm between two test runs.
const idleSeconds = 30

func newCluster() (*cluster, error) {
	binaries, err := findBinaries()
	if err != nil {
		return nil, err
	}
	owner, err := serverAccount()
	if err != nil {
		return nil, err
	}
	name := "stoa-pgtest-" + strconv.Itoa(os.Getuid())
	return &cluster{dir: filepath.Join(os.TempDir(), name), binaries: binaries, owner: owner, idle: idleSeconds}, nil
}

func (c *cluster) path(parts ...string) string {
	return filepath.Join(append([]string{c.dir}, parts...)...)
}

func (c *cluster) adminURL() url.URL {
	q := url.Values{"host": {c.path("socket")}, "user": {"stoa"}}
	return url.URL{Scheme: "postgres", Path: "/postgres", RawQuery: q.Encode()}
}

// join registers this process as a user and starts the cluster if need be.
func (c *cluster) join(ctx context.Context) error {
	unlock, err := lockPath(c.dir + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	for {
		joined, err := c.register()
		if err != nil {
			return err
		}
		if !joined {
			// Nothing there.
			return c.start(ctx)
		}
		if !c.exists("closing") {
			break
		}
		// The watchdog is closing. It looks for users after it said so, and we
		// looked for it after we registered: one of the two gives way.
		if err := clock.Sleep(ctx, clock.Real(), 50*time.Millisecond); err != nil {
			return err
		}
	}
	// On a busy machine one that others use may take long to answer. One that has no process is left over from a crash
	// of the machine or of PostgreSQL.
	patience := 2 * time.Second
	if c.process() != 0 {
		patience = guard
	}
	if err := c.reach(ctx, patience); err == nil {
		return nil
	}
	if err := c.remove(); err != nil {
		return err
	}
	return c.start(ctx)
}

// register reports false when there is no cluster.
func (c *cluster) register() (bool, error) {
	err := os.WriteFile(c.path("users", strconv.Itoa(os.Getpid())), nil, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func (c *cluster) exists(name string) bool {
	_, err := os.Stat(c.path(name))
	return err == nil
}

// start makes a new cluster. The caller holds the lock, so no other process
// meets it half-made.
func (c *cluster) start(ctx context.Context) error {
	if err := c.remove(); err != nil {
		return err
	}
	if err := c.makeFolders(); err != nil {
		return err
	}
	if err := c.initdb(ctx); err != nil {
		return errors.Join(err, c.remove())
	}
	if err := c.launch(); err != nil {
		return errors.Join(err, c.remove())
	}
	if err := c.reach(ctx, guard); err != nil {
		return fmt.Errorf("%w; PostgreSQL said:\n%s", err, c.log())
	}
	return nil
}

func (c *cluster) makeFolders() error {
	for _, dir := range []string{c.dir, c.path("data"), c.path("socket"), c.path("users")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		if dir == c.path("users") || c.owner == nil {
			continue
		}
		if err := os.Chown(dir, c.owner.uid, c.owner.gid); err != nil {
			return err
		}
	}
	_, err := c.register()
	return err
}

// reach waits until the server answers.
func (c *cluster) reach(ctx context.Context, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	u := c.adminURL()
	for {
		conn, err := pgx.Connect(ctx, u.String())
		if err == nil {
			return conn.Close(ctx)
		}
		if clock.Sleep(ctx, clock.Real(), 20*time.Millisecond) != nil {
			return fmt.Errorf("cluster in %s does not answer: %w", c.dir, err)
		}
	}
}

// remove deletes the folder. It is in a place others can write to, so it must
// be a folder of ours.
func (c *cluster) remove() error {
	info, err := os.Lstat(c.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", c.dir)
	}
	c.kill()
	return os.RemoveAll(c.dir)
}

// lockPath waits for the lock on a file and returns how to give it back.
func lockPath(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		_ = f.Close() // err says what failed
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	// Closing releases the lock; nothing was written.
	return func() { _ = f.Close() }, nil
}

// Stop ends the throw-away cluster at once, even while it is used.
func Stop() error {
	c, err := newCluster()
	if err != nil {
		return err
	}
	unlock, err := lockPath(c.dir + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	return c.remove()
}
