package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/listen"
	"stoa.dev/stoa/internal/lab/audittrail"
	"stoa.dev/stoa/internal/lab/inbox"
	"stoa.dev/stoa/internal/platform/authority"
	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/conduct"
	"stoa.dev/stoa/internal/platform/database/folderlock"
	"stoa.dev/stoa/internal/platform/faultrule"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/journal"
)

// Options are what a Lab is built from.
type Options struct {
	// Dir holds everything; it is made when missing.
	Dir string
	// Config is what the configuration of every world begins with.
	Config  app.Config
	Version string
	// Host is the address without a port that worlds listen on. Hosts are names and
	// addresses that clients reach the lab by besides loopback, in lower case.
	Host  string
	Hosts []string
	// URL is the address of the lab's own port, for the prefix form.
	URL func() string
	// MaxWorlds bounds how many there are, MaxAwake how many are open at once.
	MaxWorlds, MaxAwake int
	// Idle is how long a world that is not asked stays open.
	Idle time.Duration
	// Cache is a folder that keeps empty and demo worlds between processes of the
	// same program, so that they need not be made anew; empty means none.
	Cache string
	// Memory is what the work of all requests shares, Connections what all ports share.
	Memory      *budget.Pool
	Connections *listen.Connections
	Log         *slog.Logger
	// LogTo receives the worlds' own logs; nil discards them.
	LogTo io.Writer
}

// What applies where Options are silent.
const (
	defaultHost      = "127.0.0.1"
	defaultMaxWorlds = 1000
	defaultMaxAwake  = 200
	defaultIdle      = 2 * time.Minute
	// maxJournals is what the journals of all worlds may take.
	maxJournals = 256 << 20
)

func (o Options) withDefaults() Options {
	if o.Host == "" {
		o.Host = defaultHost
	}
	if o.MaxWorlds <= 0 {
		o.MaxWorlds = defaultMaxWorlds
	}
	if o.MaxAwake <= 0 {
		o.MaxAwake = defaultMaxAwake
	}
	if o.Idle <= 0 {
		o.Idle = defaultIdle
	}
	if o.Memory == nil {
		o.Memory = budget.New(budget.MemoryOptions(0))
	}
	if o.Connections == nil {
		o.Connections = listen.NewConnections()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.LogTo == nil {
		o.LogTo = io.Discard
	}
	if o.URL == nil {
		o.URL = func() string { return "" }
	}
	return o
}

// Lab holds worlds and snapshots.
type Lab struct {
	options Options
	clock   clock.Clock // the machine's: for expiry and idleness
	ids     *ids.Source
	memory  *budget.Pool
	bases   *bases
	ready   *readyCopies
	// opening bounds how many apps are opened at once: SQLite's allocator has one lock,
	// and a hundred that read their schema together wait for it more than they read.
	opening *semaphore.Weighted
	// journals bounds what those of all worlds keep together.
	journals *journal.Pool
	lock     io.Closer
	// trail is the record of what was done to the lab.
	trail *audittrail.Trail
	// inboxes bounds what those of all worlds keep together.
	inboxes inbox.Pool
	// authority signs for HTTPS on every port of the lab.
	authority *authority.Authority
	// catalogue is what fault rules can name.
	catalogue *faultrule.Catalogue
	// rules are what services ask of their clients.
	rules   []conduct.Stated
	sockets string // folder of the worlds' sockets; empty for their own
	// control is the control API for the consoles of worlds; nil when there is none.
	control http.Handler

	mu        sync.Mutex
	worlds    map[string]*World
	reserved  map[string]bool // names of worlds and snapshots that are being made
	snapshots map[string]Snapshot
	closing   bool
	// immutable are the files of a data folder that never change.
	immutable []string

	stop  context.CancelFunc
	ended chan struct{}
}

// Open takes a folder and the worlds in it. Nothing else may use the folder
// until Close.
func Open(ctx context.Context, o Options) (_ *Lab, err error) {
	// Clients are told of files in it.
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return nil, err
	}
	l := &Lab{
		options: o.withDefaults(), clock: clock.Real(), ids: ids.Random(),
		worlds: map[string]*World{}, reserved: map[string]bool{}, snapshots: map[string]Snapshot{},
		ended: make(chan struct{}), opening: semaphore.NewWeighted(int64(runtime.GOMAXPROCS(0))),
	}
	l.memory, l.immutable, l.catalogue = l.options.Memory, app.Immutable(), app.FaultCatalogue()
	l.journals, l.rules = journal.NewPool(maxJournals), app.ConductRules()
	l.ready = newReadyCopies(l)
	if err := checkStores(o.Config); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("lab folder: %w", err)
	}
	lock, err := folderlock.OpenForLab(o.Dir)
	if err != nil {
		return nil, err
	}
	l.lock = closerFunc(lock.Unlock)
	if l.trail, err = audittrail.Open(o.Dir, l.options.Log); err != nil {
		return nil, errors.Join(err, l.lock.Close())
	}
	if err := errors.Join(l.openAuthority(), l.openSockets()); err != nil {
		return nil, errors.Join(err, l.trail.Close(), l.lock.Close())
	}
	if err := l.load(); err != nil {
		return nil, errors.Join(err, l.closeWorlds(), l.closeSockets(), l.trail.Close(), l.lock.Close())
	}
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l.stop = cancel
	go l.watch(run)
	l.ready.making.Go(func() { l.bases.prepareDemo(run) })
	return l, nil
}

// checkStores refuses a configuration that names stores which all worlds would
// share.
func checkStores(c app.Config) error {
	if c.Database.URL != "" || c.Blob.Store == blob.KindS3 {
		return fmt.Errorf("%w: each world of a lab has its data in its own folder: leave database.url and blob.store out",
			app.ErrConfig)
	}
	return nil
}

type closerFunc func() error

func (f closerFunc) Close() error { return f() }

// load prepares the folder and takes up what an earlier process left.
func (l *Lab) load() error {
	// What was being made when a process ended was never named.
	if err := os.RemoveAll(l.unfinished()); err != nil {
		return err
	}
	for _, dir := range []string{l.unfinished(), l.folder("worlds"), l.folder("bases"), l.folder(savedFolder)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	l.bases = newBases(l, l.folder("bases"))
	if err := l.loadSnapshots(); err != nil {
		return err
	}
	if err := l.loadWorlds(); err != nil {
		return err
	}
	return l.bases.sweep()
}

func (l *Lab) loadWorlds() error {
	entries, err := os.ReadDir(l.folder("worlds"))
	if err != nil {
		return err
	}
	for _, e := range entries {
		m, err := readManifest(l.worldDir(e.Name()))
		if err != nil {
			return err
		}
		if m.ProofSalt == "" { // of a version that had none
			m.ProofSalt = l.proofSalt(m.Seed, m.Initial)
		}
		l.bases.retain(m.Base)
		if err := l.sweepFolders(m); err != nil {
			return err
		}
		w, err := l.newWorld(m)
		if err != nil {
			return err
		}
		if err := writeManifest(w.dir(), w.manifest); err != nil {
			return errors.Join(err, w.server.Close())
		}
		l.worlds[m.Name] = w
	}
	return nil
}

func (l *Lab) folder(name string) string { return filepath.Join(l.options.Dir, name) }

// unfinished is where folders are made before they have their name.
func (l *Lab) unfinished() string { return l.folder("unfinished") }

func (l *Lab) worldDir(name string) string { return filepath.Join(l.options.Dir, "worlds", name) }

// World finds a world by its name.
func (l *Lab) World(name string) (*World, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w, ok := l.worlds[name]
	if !ok {
		return nil, errNotFound("GET /lab/v1/worlds lists those there are", "there is no world %q", name)
	}
	return w, nil
}

// Worlds are all, by name.
func (l *Lab) Worlds() []*World {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]*World, 0, len(l.worlds))
	for _, w := range l.worlds {
		all = append(all, w)
	}
	slices.SortFunc(all, func(a, b *World) int { return strings.Compare(a.Name(), b.Name()) })
	return all
}

// Close closes every world and keeps its files.
func (l *Lab) Close() error {
	l.mu.Lock()
	again := l.closing
	l.closing = true
	l.mu.Unlock()
	if again {
		return nil
	}
	l.stop()
	<-l.ended
	return errors.Join(l.closeWorlds(), l.ready.close(), l.closeSockets(), l.trail.Close(), l.lock.Close())
}

func (l *Lab) closeWorlds() error {
	var group sync.WaitGroup
	worlds := l.Worlds()
	failed := make([]error, len(worlds))
	for i, w := range worlds {
		group.Go(func() { failed[i] = w.close() })
	}
	group.Wait()
	return errors.Join(failed...)
}

// EndStreams ends those who watch requests, for a lab that is about to end.
func (l *Lab) EndStreams() {
	for _, w := range l.Worlds() {
		w.journal.Close()
	}
}
