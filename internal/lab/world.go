package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/demo"
	"stoa.dev/stoa/internal/app/listen"
	"stoa.dev/stoa/internal/app/settings"
	"stoa.dev/stoa/internal/lab/inbox"
	"stoa.dev/stoa/internal/lab/worldsettings"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/faultrule"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/journal"
)

// World is one world of a lab. Its address lives as long as it does; the app
// behind it is open while it is awake.
type World struct {
	lab    *Lab
	server *listen.Server
	clock  atomic.Pointer[clock.Virtual]
	faults *faultrule.Set
	inbox  *inbox.Set
	// journal stays while the world is asleep; it ends with the process.
	journal *journal.Journal

	// op orders what changes the world as a whole: waking, sleeping, forking,
	// resetting, moving the clock.
	op sync.Mutex
	// prebuilt is where the world can be reset to at once; the holder of op has it.
	prebuilt prebuiltApps
	// forked is what forks begin with while the world does not change; as above.
	forked forkBase

	mu             sync.Mutex
	manifest       manifest
	app            *app.App // nil while asleep
	opening        bool     // app is being made
	ids            *ids.Source
	paused         bool // for changes: requests wait
	deleted        bool // for good: requests are refused
	inFlight       int  // requests that use app
	changed        chan struct{}
	used           time.Time // when the last request ended, on the machine's clock
	released       time.Time // when its connections gave memory back
	called         bool      // on its socket, which closes when it sleeps and wakes no world
	byJob          bool      // woken by a job that was due, and not asked since
	failures       int       // to read when its next job is due, or to open it for one, one after the other
	wakeAfter      time.Time // until when it is not woken for a job, on the machine's clock
	cancelRequests context.CancelFunc
	requestCtx     context.Context //nolint:containedctx // ends requests in flight when the world is taken from them
}

// newWorld gives a world its address. It is asleep.
func (l *Lab) newWorld(m manifest) (*World, error) {
	w := &World{lab: l, manifest: m, changed: make(chan struct{}), used: l.clock.Now()}
	w.requestCtx, w.cancelRequests = context.WithCancel(context.Background())
	w.journal = journal.New(journal.Options{Pool: l.journals})
	w.journal.SetMode(journal.Full)
	if m.Open {
		// The process ended without saying what it drew: go on elsewhere, or the
		// same identifiers would be given twice.
		w.manifest.State.Life++
		w.manifest.State.Drawn, w.manifest.Open = 0, false
		w.manifest.Due = time.Unix(0, 0) // nor did it say what waits: look at once
	}
	w.setState(w.manifest.State)
	now := func() time.Time { return w.Clock().Now() } // a reset changes the clock
	w.faults = faultrule.NewSet(m.Seed, now, l.catalogue)
	w.inbox = inbox.New(inbox.Options{Now: now, Real: l.clock, Pool: &l.inboxes, Memory: l.memory})
	if err := w.listen(); err != nil {
		return nil, errors.Join(fmt.Errorf("a port for world %s: %w", m.Name, err), w.server.Close())
	}
	return w, nil
}

// listen takes the port that the world had before, or else a new one, and answers on it,
// HTTP and HTTPS.
func (w *World) listen() error {
	l := w.lab
	before := w.manifest.Port
	err := w.bind(cmp.Or(before, "0"))
	if err != nil && before != "" {
		err = errors.Join(w.server.Close(), w.bind("0"))
	}
	if err != nil {
		return err
	}
	if _, w.manifest.Port, err = net.SplitHostPort(w.server.Address()); err != nil {
		return err
	}
	if before != "" && before != w.manifest.Port {
		l.options.Log.Warn("another program has the port of the world; channels and clients with its old address miss it",
			"world", w.Name(), "port", before, "new", w.manifest.Port)
	}
	w.server.ShareTLS(l.TLS())
	w.server.Serve(http.HandlerFunc(w.ServeHTTP), l.options.Log)
	return nil
}

func (w *World) bind(port string) error {
	w.server = listen.NewServer(listen.Options{
		Config: listen.Config{HTTP: net.JoinHostPort(w.lab.options.Host, port)}, Connections: w.lab.options.Connections,
	})
	return w.server.Bind(context.Background())
}

// Name is the world's name.
func (w *World) Name() string { return w.manifest.Name }

// URL is the address of the world's own port.
func (w *World) URL() string { return w.server.URL() }

// PrefixURL is its address on the lab's port.
func (w *World) PrefixURL() string { return w.lab.options.URL() + "/w/" + w.Name() }

// Data is the path of the world's data folder. A reset makes another folder, which
// the same path leads to.
func (w *World) Data() string { return filepath.Join(w.dir(), dataFolder) }

// folder is the data folder itself.
func (w *World) folder() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return filepath.Join(w.dir(), w.manifest.folder())
}

func (w *World) dir() string { return w.lab.worldDir(w.Name()) }

// Clock is the world's clock. Moving it is Advance's and SetClock's.
func (w *World) Clock() *clock.Virtual { return w.clock.Load() }

// isDeleted reports whether the world's name, port and path may be another's.
func (w *World) isDeleted() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.deleted
}

// Info is what a world says about itself.
type Info struct {
	Name, URL, PrefixURL, HTTPSURL, CAFile, KMSSocket string

	Awake         bool
	From, Dialect string
	Seed          uint64

	Created, Expires time.Time
}

// Info describes the world.
func (w *World) Info() Info {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := w.manifest
	return Info{
		Name: m.Name, URL: w.server.URL(), PrefixURL: w.PrefixURL(), HTTPSURL: w.server.HTTPSURL(),
		CAFile: w.lab.CAFile(), KMSSocket: w.socket(),
		Awake: w.app != nil, From: m.From, Dialect: m.Dialect, Seed: m.Seed, Created: m.Created, Expires: m.Expires,
	}
}

// Env are the variables of demo.env for this world's address.
func (w *World) Env() (map[string]string, error) {
	env, err := demo.ReadEnv(w.folder())
	if err != nil {
		env = map[string]string{} // an empty world has none
	}
	if w.isDeleted() {
		return nil, errWorldDeleted // what was read may be another's of its name
	}
	maps.Copy(env, map[string]string{
		"STOA_URL": w.URL(), "STOA_DATA": w.Data(), "STOA_KMS_SOCKET": w.socket(), "STOA_WORLD": w.Name(),
		"STOA_HTTPS_URL": w.server.HTTPSURL(), "STOA_CA_FILE": w.lab.CAFile(),
	})
	return env, nil
}

// config is the world's configuration on a data folder. Settings that an earlier version took are held to the same as
// those of a new world.
func (w *World) config(folder string) (app.Config, error) {
	c := w.lab.config(folder, w.URL())
	own, err := worldsettings.Check(w.manifest.Config, w.lab.options.Config)
	if err != nil {
		return c, errInvalid(`end the lab and take it out of "config" in worlds/`+w.Name()+"/"+manifestFile+
			", or delete the world", "config: %v", err)
	}
	if err := settings.ReadFile(&c, "config", own); err != nil {
		return c, errInvalid("see docs/configuration.md", "config: %v", err)
	}
	c.Dialect, c.Listen.KMS = w.manifest.Dialect, w.socket()
	return c, nil
}

// config is what the configuration of a world in a folder begins with: keys and
// listeners are its own.
func (l *Lab) config(data, url string) app.Config {
	c := l.options.Config
	c.Data, c.BaseURL, c.RootKey = data, url, ""
	c.Deliver.Loopback = &deliver.Loopback{CAFile: l.CAFile()}
	c.Listen = listen.Config{HTTP: net.JoinHostPort(l.options.Host, "0"), TrustedProxies: c.Listen.TrustedProxies}
	return c
}

// Inboxes receive what the world's services send. They stay while the world is closed
// for want of requests, and go with a reset and with the process.
func (w *World) Inboxes() *inbox.Set { return w.inbox }

// Journal is what the world was asked and answered since it was created, its last reset
// or the start of the lab.
func (w *World) Journal() *journal.Journal { return w.journal }
