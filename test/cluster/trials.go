package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/test/program"
)

// world is everything that a trial may do something to.
type world struct {
	*cluster
	nodes    *nodes
	store    bucketStore
	streams  streams
	receiver *receiver
	binary   string
}

// streams are the ones that the restore to a moment looks at again.
type streams struct {
	tasks    []*taskStream
	pictures *pictureStream
	all      []stream
}

// trial is one thing that is done to the cluster.
type trial struct {
	name string
	do   func(ctx context.Context, w *world) error
}

// setup is what a run consists of.
type setup struct {
	binary string
	first  string // what the nodes begin with, before the upgrade
	trials []trial
	bucket func(c *cluster) (bucketStore, error)
}

func trials() []trial {
	return []trial{
		{"nothing, for 5 s", func(ctx context.Context, _ *world) error { return rest(ctx, 5*time.Second) }},
		{"nodes and worker upgraded one by one, with a migration", func(ctx context.Context, w *world) error {
			return w.nodes.upgrade(ctx, w.binary)
		}},
		{"a node killed, and back", func(ctx context.Context, w *world) error { return w.nodes.restart(ctx, 1) }},
		{"a node replaced by one with an empty folder", func(ctx context.Context, w *world) error {
			return w.nodes.replace(ctx, 2)
		}},
		{"the worker killed, and back", func(ctx context.Context, w *world) error { return w.nodes.restartWorker(ctx) }},
		{"PostgreSQL of the primary restarted", func(ctx context.Context, w *world) error {
			return w.restartPrimary(ctx)
		}},
		{"switchover of PostgreSQL", func(ctx context.Context, w *world) error { return w.switchover(ctx) }},
		{"the primary and its Patroni killed", func(ctx context.Context, w *world) error { return w.fail(ctx, w.kill) }},
		{"the primary and its Patroni paused for good", func(ctx context.Context, w *world) error {
			return w.fail(ctx, w.pause)
		}},
		{"the primary cut off from everything, and back", func(ctx context.Context, w *world) error {
			return w.isolate(ctx)
		}},
		{"a node cut off from the database for 8 s", func(ctx context.Context, w *world) error {
			return during(ctx, w.nodes.toDatabase[1], linkCut)
		}},
		{"a node's database link silent for 8 s", func(ctx context.Context, w *world) error {
			return during(ctx, w.nodes.toDatabase[1], linkStalled)
		}},
		{"pgbouncer killed, and back", func(ctx context.Context, w *world) error {
			w.pgbouncer.kill()
			if err := rest(ctx, 2*time.Second); err != nil {
				return err
			}
			return errors.Join(w.launch(&w.pgbouncer), rest(ctx, 2*time.Second))
		}},
		{"the S3 server killed for 8 s, and back", func(ctx context.Context, w *world) error {
			return w.withoutBucket(ctx, 8*time.Second)
		}},
		{"the S3 server silent for 8 s", func(ctx context.Context, w *world) error {
			return during(ctx, w.nodes.toBucket, linkStalled)
		}},
		{"etcd killed for 8 s, and back", func(ctx context.Context, w *world) error {
			return w.withoutEtcd(ctx, 8*time.Second)
		}},
		{"base backup, and a restore to a moment beside it", func(ctx context.Context, w *world) error {
			return w.restoreToMoment(ctx)
		}},
	}
}

// shortTrials are those of make test.
func shortTrials() []trial {
	return []trial{
		{"a node killed, and back", func(ctx context.Context, w *world) error { return w.nodes.restart(ctx, 1) }},
		{"switchover of PostgreSQL", func(ctx context.Context, w *world) error { return w.switchover(ctx) }},
		{"the S3 server dead for 2 s, and back", func(ctx context.Context, w *world) error {
			return w.withoutBucket(ctx, 2*time.Second)
		}},
	}
}

// during gives a link another state for eight seconds.
func during(ctx context.Context, r *relay, s linkState) error {
	r.set(s)
	err := rest(ctx, 8*time.Second)
	r.set(linkOpen)
	return err
}

func (w *world) withoutBucket(ctx context.Context, d time.Duration) error {
	w.store.kill()
	if err := rest(ctx, d); err != nil {
		return err
	}
	return w.store.back()
}

// run builds the cluster, does every trial under load, and audits.
func (s setup) run(ctx context.Context) (found *findings, err error) {
	dir, err := os.MkdirTemp("", "stoa-cluster-")
	if err != nil {
		return nil, err
	}
	w := &world{cluster: &cluster{dir: dir}, binary: s.binary}
	defer func() {
		w.close()
		if err != nil {
			err = fmt.Errorf("%w (logs in %s)", err, dir)
			return
		}
		err = os.RemoveAll(dir)
	}()
	if err := os.Chmod(dir, 0o755); err != nil { // the databases' user reads below it
		return nil, err
	}
	if err := s.begin(ctx, w); err != nil {
		return nil, err
	}
	found = &findings{}
	l := startLoad(ctx, w.streams.all)
	for _, t := range s.trials {
		r, err := l.measure(ctx, t.name, func() error { return t.do(ctx, w) })
		if err != nil {
			return nil, errors.Join(err, l.failed())
		}
		found.add(r)
	}
	if found.verdicts, err = l.finish(ctx); err != nil {
		return nil, err
	}
	return found, found.judge()
}

func (s setup) begin(ctx context.Context, w *world) (err error) {
	if err := w.start(ctx); err != nil {
		return err
	}
	if w.store, err = s.bucket(w.cluster); err != nil {
		return err
	}
	if w.receiver, err = newReceiver(w.dir); err != nil {
		return err
	}
	if w.nodes, err = startNodes(ctx, w.cluster, w.store, s.first, w.receiver.ca); err != nil {
		return err
	}
	return w.prepare(ctx)
}

func (w *world) close() {
	if w.nodes != nil {
		w.nodes.stop()
	}
	if w.receiver != nil {
		w.receiver.server.Close()
	}
	w.stop()
}

// prepare makes a user with credentials, and the streams.
func (w *world) prepare(ctx context.Context) error {
	issue := func(ctx context.Context, command, member string, values map[string][]string) (string, error) {
		commands, _, err := admin.Dial(ctx, w.nodes.options[0].Data)
		if err != nil {
			return "", err
		}
		defer commands.Close()
		text, err := commands.Run(ctx, command, values, nil)
		if err != nil {
			return "", err
		}
		var made map[string]any
		err = json.Unmarshal(text, &made)
		secret, _ := made[member].(string)
		return secret, err
	}
	if _, err := issue(ctx, "user add", "", map[string][]string{
		"name": {"writer"}, "password": {"correct horse battery staple"},
	}); err != nil {
		return err
	}
	bearer := map[string]string{}
	for _, service := range []string{"tasks", "calendar", "articles"} {
		token, err := issue(ctx, "token issue", "token", map[string][]string{"user": {"writer"}, "service": {service}})
		if err != nil {
			return err
		}
		bearer[service] = "Bearer " + token
	}
	key := func(ctx context.Context) (string, error) {
		return issue(ctx, "key issue", "key",
			map[string][]string{"user": {"writer"}, "service": {"apikeys"}, "never": {"true"}})
	}
	return w.makeStreams(ctx, bearer, key)
}

func (w *world) makeStreams(ctx context.Context, bearer map[string]string,
	key func(ctx context.Context) (string, error),
) error {
	const auth, content, text = "Authorization", "Content-Type", "application/json"
	for i := range members {
		s, err := newTaskStream(ctx, newClient(w.nodes, i, true, auth, bearer["tasks"], content, text))
		if err != nil {
			return err
		}
		w.streams.tasks, w.streams.all = append(w.streams.tasks, s), append(w.streams.all, s)
	}
	events, err := newEventStream(ctx, newClient(w.nodes, 0, false, auth, bearer["calendar"], content, text), w.receiver)
	if err != nil {
		return err
	}
	live, err := key(ctx)
	if err != nil {
		return err
	}
	keys := &keyStream{client: newClient(w.nodes, 1, false, content, text), issue: key, live: live}
	w.streams.pictures = &pictureStream{
		client: newClient(w.nodes, 2, false, auth, bearer["articles"], content, "image/png"), acked: map[string]int{},
	}
	demo, err := program.DemoEnv(w.nodes.options[0].Data)
	if err != nil {
		return err
	}
	jobs, err := newJobStream(ctx, w.nodes, newClient(w.nodes, 0, false, "Accept", text,
		"Pipeline-Token", demo["STOA_PIPELINE_TOKEN"]), demo["STOA_REPO"], demo["STOA_PIPELINE_TOKEN"])
	if err != nil {
		return err
	}
	w.streams.all = append(w.streams.all, events, keys, w.streams.pictures, jobs)
	return nil
}
