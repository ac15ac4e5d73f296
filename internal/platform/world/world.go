package world

import (
	"context"
	"errors"
	"fmt"
	"net/textproto"
	"os"
	"path/filepath"
	"time"

	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/blob"
	blobfiles "stoa.dev/stoa/internal/platform/blob/files"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/faultrule"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/address"
	"stoa.dev/stoa/internal/platform/seal"
	"stoa.dev/stoa/internal/platform/telemetry"
)

// World is what a service is built on. Its fields never change after Open.
type World struct {
	Name string
	// Dir is the data folder.
	Dir       string
	Clock     clock.Clock
	IDs       *ids.Source
	Dialect   *dialect.Dialect
	Telemetry *telemetry.Telemetry
	// Journal keeps what is asked and answered; nil keeps nothing.
	Journal *journal.Journal

	Seal   *seal.Box
	DB     *database.DB
	Blobs  blob.Store
	Limits *limit.Limiter
	// Memory is what the work of all requests of the process shares, Requests
	// how many of them are in progress.
	Memory, Requests *budget.Pool
	Jobs             *jobs.Queue
	// Outbound is where connections to other machines begin.
	Outbound *outbound.Gate
	// FaultRules make chosen requests fail; nil outside of a lab.
	FaultRules route.FaultRules
	// Deliver sends messages to addresses outside, durably and guarded.
	Deliver *deliver.Engine

	url      func() string
	moreTime time.Duration
	caches   caches
	// programs are what services run in sandboxes.
	programs programs
	check    storeCheck
	// decisions are those of the limits.
	decisions decisions
	closers   []func() error
}

// Options choose the parts. Zero values mean: the machine's clock, random
// identifiers, the neutral dialect, silent telemetry, SQLite and files.
type Options struct {
	Name     string
	Dir      string
	Database database.Config
	Blob     blob.Config
	Deliver  deliver.Config
	Audit    audit.Config
	RootKey  string
	// ProofSalt is as in seal.Box: worlds of a lab may have one root key.
	ProofSalt string
	// JobLease is how long the jobs of a node that died wait for another; zero means a
	// minute. The node itself takes them up at once when it returns.
	JobLease time.Duration
	// Command says that this process ends soon: a server that starts meanwhile waits.
	Command bool
	// Offline keeps every connection on this machine's loopback.
	Offline bool
	// MoreTime is as in route.Options.
	MoreTime time.Duration
	// NoSync is as in database.Options, AroundStore is its Around.
	NoSync      bool
	AroundStore func(ctx context.Context, call database.Call, run func() error) error
	// URL is the configured address, without a trailing slash. It is known once
	// the listener is open.
	URL       func() string
	Clock     clock.Clock
	IDs       *ids.Source
	Dialect   *dialect.Dialect
	Telemetry *telemetry.Telemetry
	// Journal keeps what is asked and answered; nil means none.
	Journal *journal.Journal
	// Memory and Requests are shared by all worlds of a process; nil gives this
	// one its own.
	Memory, Requests *budget.Pool
	// FaultRules make chosen requests, messages and jobs fail; nil leaves all alone.
	FaultRules *faultrule.Set
}

// closeTime bounds how long background work may take to end.
const closeTime = 10 * time.Second

// Open builds a world in its folder, which is created when missing and then
// belongs to this process until Close.
func Open(ctx context.Context, o Options) (_ *World, err error) {
	w := Blueprint(o)
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return w, fmt.Errorf("data folder: %w", err)
	}
	lock, err := lockFolder(ctx, o)
	if err != nil {
		return w, err
	}
	w.onClose(lock.Unlock)
	if w.Seal, err = seal.Open(o.Dir, o.RootKey, w.IDs); err != nil {
		return w, err
	}
	w.Seal = w.Seal.WithProofSalt(o.ProofSalt)
	if err = w.openDatabase(ctx, o); err != nil {
		return w, err
	}
	if o.Blob == (blob.Config{}) {
		o.Blob = blob.DefaultConfig()
	}
	if err := w.openBlobs(o.Blob); err != nil {
		return w, err
	}
	if err := w.openCounters(o); err != nil {
		return w, err
	}
	w.countJobs()
	w.countCaches()
	w.countStores()
	return w, w.openDeliver(o)
}

// Blueprint is a world with the parts that need no folder. Services can be
// built on it to be described, not to be run: the command line lists its
// commands this way.
func Blueprint(o Options) *World {
	w := &World{
		Name: o.Name, Dir: o.Dir, url: o.URL, moreTime: o.MoreTime,
		Clock: o.Clock, IDs: o.IDs, Dialect: o.Dialect, Telemetry: o.Telemetry, Memory: o.Memory, Requests: o.Requests,
		Outbound: outbound.New(o.Offline), Journal: o.Journal,
	}
	if w.Name == "" {
		w.Name = "main"
	}
	if w.url == nil {
		w.url = func() string { return "" }
	}
	if w.Clock == nil {
		w.Clock = clock.Real()
	}
	if w.IDs == nil {
		w.IDs = ids.Random()
	}
	if w.Memory == nil {
		w.Memory = budget.New(budget.MemoryOptions(0))
	}
	if w.Requests == nil {
		w.Requests = budget.New(budget.RequestOptions())
	}
	if w.Dialect == nil {
		w.Dialect = neutral()
	}
	if w.Telemetry == nil {
		w.Telemetry = telemetry.Nop()
	}
	if o.FaultRules != nil {
		w.FaultRules = o.FaultRules
	}
	return w
}

// URL is what links in the answer to a request begin with, without a trailing
// slash: the address that was asked where the process serves several worlds, else
// and for work without a request the configured one.
func (w *World) URL(ctx context.Context) string {
	if a := address.From(ctx); a != nil {
		return a.Base
	}
	return w.url()
}

// OwnURL is the shortest address of the world: its own port's.
func (w *World) OwnURL(ctx context.Context) string {
	if a := address.From(ctx); a != nil {
		return a.Own
	}
	return w.url()
}

// neutral is the contract's own spelling; its table is part of the program.
func neutral() *dialect.Dialect {
	d, err := dialect.Load("neutral")
	if err != nil {
		panic(err)
	}
	return d
}

func (w *World) openDatabase(ctx context.Context, o Options) error {
	db, err := database.Open(ctx, database.Options{
		Dir: o.Dir, URL: o.Database.URL, Connections: o.Database.Connections, Readers: o.Database.Readers,
		Timeout: o.Database.Timeout, Around: o.AroundStore,
		Clock: w.Clock, IDs: w.IDs, Log: w.Telemetry.Log, NoSync: o.NoSync,
	})
	if err != nil {
		return err
	}
	w.DB = db
	w.onClose(db.Close)
	return nil
}

// openBlobs opens the configured store.
func (w *World) openBlobs(c blob.Config) error {
	if err := c.Validate(); err != nil {
		return err
	}
	if c.Store == blob.KindS3 {
		return w.openBucket(c.S3)
	}
	store, err := blobfiles.New(filepath.Join(w.Dir, blobFolder), w.Clock, w.IDs)
	if err != nil {
		return err
	}
	w.watchBlobs(store)
	w.onClose(store.Close)
	return nil
}

// openCounters builds what counts and queues on the database.
func (w *World) openCounters(o Options) error {
	w.Limits = limit.New(limit.Options{DB: w.DB, Clock: w.Clock, Observe: w.noteLimit})
	queue := jobs.Options{DB: w.DB, Clock: w.Clock, IDs: w.IDs, Log: w.Telemetry.Log, Lease: o.JobLease}
	if o.FaultRules != nil {
		queue.Fault = o.FaultRules.Job
	}
	if w.DB.Engine() != database.SQLite {
		node, err := nodeName(w.Dir)
		if err != nil {
			return err
		}
		queue.Node = node
	}
	w.Jobs = jobs.New(queue)
	if o.Audit == (audit.Config{}) {
		o.Audit = audit.DefaultConfig()
	}
	w.Jobs.Register(w.auditJobs(o.Audit)...)
	w.onClose(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		return w.Jobs.Stop(ctx)
	})
	return nil
}

// noteLimit counts what a request was charged, and tells the journal.
func (w *World) noteLimit(ctx context.Context, d limit.Decision) {
	w.decisions.add(d)
	if w.Journal.Mode() == journal.Off {
		return
	}
	journal.From(ctx).AddLimit(journal.Limit{
		Name: d.Name, Limit: d.Limit, Remaining: d.Remaining, Reset: d.Reset, Refused: !d.Allowed,
	})
}

// openDeliver builds the engine for outbound messages on the queue.
func (w *World) openDeliver(o Options) error {
	client, err := deliver.NewClient(o.Deliver, w.Outbound, nil)
	if err != nil {
		return err
	}
	w.onClose(func() error { client.Close(); return nil })
	options := deliver.Options{
		DB: w.DB, Jobs: w.Jobs, Clock: w.Clock, IDs: w.IDs, Seal: w.Seal, Client: client,
	}
	if o.FaultRules != nil {
		options.Fault = o.FaultRules.Delivery
	}
	w.Deliver = deliver.New(options)
	w.Jobs.Register(w.Deliver.Jobs()...)
	return nil
}

// Resume takes up what an earlier process left: its limit counters, and the
// jobs it held when it was killed. It runs after migrations and before the
// queue starts. Where several processes share a database the counters live
// there, and only the jobs of this node's earlier processes are taken up.
func (w *World) Resume(ctx context.Context) error {
	if w.DB.Engine() == database.SQLite {
		if err := w.Limits.Load(ctx); err != nil {
			return fmt.Errorf("limit counters: %w", err)
		}
		w.onClose(func() error { return w.Limits.Save(context.Background()) })
	}
	if err := w.Jobs.Recover(ctx); err != nil {
		return fmt.Errorf("jobs of an earlier process: %w", err)
	}
	return nil
}

// Migrations are the tables of the platform itself.
func Migrations() []database.Migrations {
	return []database.Migrations{
		database.Embedded("world", files), audit.Migrations(), limit.Migrations(), jobs.Migrations(), deliver.Migrations(),
	}
}

// Close ends the world's parts in reverse order and reports every failure.
func (w *World) Close() error {
	var failed []error
	for i := len(w.closers) - 1; i >= 0; i-- {
		failed = append(failed, w.closers[i]())
	}
	w.closers = nil
	return errors.Join(failed...)
}

func (w *World) onClose(f func() error) { w.closers = append(w.closers, f) }

// RouteOptions are the options of one mux, with what all muxes of a world share filled in.
func (w *World) RouteOptions(o route.Options) route.Options {
	o.Clock, o.IDs, o.Telemetry = w.Clock, w.IDs, w.Telemetry
	o.Memory, o.Requests = w.Memory, w.Requests
	o.FaultRules, o.Journal, o.Explain, o.MoreTime = w.FaultRules, w.Journal, w.ExplainCredential, w.moreTime
	return o
}

// ExplainCredential says that a client writes as its vendor does and is not read here.
func (w *World) ExplainCredential(header map[string][]string) string {
	name := w.Dialect.UnreadHeader(textproto.MIMEHeader(header))
	if name == "" {
		return ""
	}
	return "the header " + name + " is read in the dialect sdk only: start the server with --dialect sdk"
}
