package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"stoa.dev/stoa/test/program"
)

// nodes are three Stoa servers and a worker on the cluster. Each server reaches the
// database through a relay of its own, all reach the bucket through one.
type nodes struct {
	c          *cluster
	dir        string
	options    [members]program.Options
	running    [members]*program.Process
	toDatabase [members]*relay
	toBucket   *relay
	worker     daemon
}

// startNodes begins with the binary that the cluster is upgraded from, where there is one.
func startNodes(ctx context.Context, c *cluster, store bucketStore, binary, receiverCA string) (*nodes, error) {
	n := &nodes{c: c, dir: filepath.Join(c.dir, "stoa")}
	var err error
	if n.toBucket, err = newRelay(store.address()); err != nil {
		return nil, err
	}
	for i := range members {
		if n.toDatabase[i], err = newRelay(fmt.Sprintf("127.0.0.1:%d", c.pool)); err != nil {
			return n, err
		}
		port, err := freePort()
		if err != nil {
			return n, err
		}
		n.options[i] = program.Options{
			Binary: binary, Data: filepath.Join(n.dir, fmt.Sprint(i)), Listen: fmt.Sprintf("127.0.0.1:%d", port),
			Args: []string{"--database", databaseURL(n.toDatabase[i].port())},
		}
		n.options[i].Env = append(n.shared(n.toBucket.address(), bucketName), "STOA_PIPELINES_CONCURRENCY=0",
			"STOA_DELIVER_TRUSTED_CA_FILE="+receiverCA, "STOA_DELIVER_ALLOW=127.0.0.0/8")
		if i == 0 {
			n.options[i].Args = append(n.options[i].Args, "--demo") // it makes the repository of the jobs
		} else {
			n.options[i].Env = append(n.options[i].Env, n.rootKey())
		}
		if err := n.begin(ctx, i); err != nil {
			return n, err
		}
	}
	return n, n.startWorker(ctx, binary)
}

// shared are the settings that servers and worker have in common.
func (n *nodes) shared(bucketAddress, bucket string) []string {
	env := []string{
		"STOA_LOG_LEVEL=error", "STOA_BASE_URL=" + n.url(0), "STOA_FORGE_DIR=" + filepath.Join(n.dir, "git"),
		"STOA_BLOB_STORE=s3", "STOA_BLOB_S3_ENDPOINT=http://" + bucketAddress, "STOA_BLOB_S3_BUCKET=" + bucket,
		"STOA_BLOB_S3_ACCESS_KEY=" + bucketKey, "STOA_BLOB_S3_SECRET_KEY=" + bucketSecret,
		"STOA_PIPELINES_LEASE=3s", "STOA_PIPELINES_RERUNS=5",
	}
	for _, limit := range []string{
		"TASKS_REQUESTS_PER_DAY", "CALENDAR_REQUESTS_PER_MINUTE", "APIKEYS_REQUESTS_PER_MINUTE", "ARTICLES_USER_PER_HOUR",
		"ARTICLES_ANONYMOUS_PER_HOUR", "ARTICLES_MONTHLY_UPLOAD_BYTES", "PIPELINES_REQUESTS_BURST",
		"PIPELINES_REQUESTS_SUSTAINED",
	} {
		env = append(env, "STOA_"+limit+"=100000000")
	}
	return env
}

// rootKey names the first node's key to the others.
func (n *nodes) rootKey() string {
	return "STOA_ROOT_KEY=" + filepath.Join(n.options[0].Data, "root.key")
}

// url is where a node is, also while it is away.
func (n *nodes) url(i int) string { return "http://" + n.options[i].Listen }

func (n *nodes) begin(ctx context.Context, i int) error {
	p, err := program.Start(ctx, n.options[i])
	if err != nil {
		return fmt.Errorf("node %d: %w", i, err)
	}
	n.running[i] = p
	return nil
}

// startWorker runs the worker and returns when it takes jobs.
func (n *nodes) startWorker(ctx context.Context, binary string) error {
	n.worker = daemon{
		name: "worker", command: binary,
		args: []string{"worker", "--data", filepath.Join(n.dir, "worker"), "--database", databaseURL(n.c.pool)},
		env:  append(append(program.Environ(), n.rootKey()), n.shared(n.toBucket.address(), bucketName)...),
	}
	if err := n.c.launch(&n.worker); err != nil {
		return err
	}
	return n.c.await(ctx, time.Minute, "the worker", func() bool {
		text, err := os.ReadFile(filepath.Join(n.c.dir, "worker.log"))
		return err == nil && strings.Contains(string(text), "ready")
	})
}

func (n *nodes) stop() {
	for _, p := range n.running {
		if p != nil {
			p.Kill()
		}
	}
	for _, r := range append(n.toDatabase[:], n.toBucket) {
		if r != nil {
			r.close()
		}
	}
}

// restart kills a node and starts it again where it was.
func (n *nodes) restart(ctx context.Context, i int) error {
	n.running[i].Kill()
	if err := rest(ctx, 2*time.Second); err != nil {
		return err
	}
	return n.beginAndRest(ctx, i)
}

func (n *nodes) beginAndRest(ctx context.Context, i int) error {
	if err := n.begin(ctx, i); err != nil {
		return err
	}
	return rest(ctx, 2*time.Second)
}

// replace kills a node for good; another with an empty data folder gets its address.
func (n *nodes) replace(ctx context.Context, i int) error {
	n.running[i].Kill()
	n.options[i].Data += "-new"
	return n.beginAndRest(ctx, i)
}

// restartWorker kills the worker while it has jobs, and starts it again.
func (n *nodes) restartWorker(ctx context.Context) error {
	n.worker.kill()
	if err := rest(ctx, time.Second); err != nil {
		return err
	}
	if err := n.c.launch(&n.worker); err != nil {
		return err
	}
	return rest(ctx, 5*time.Second)
}

// upgrade stops the nodes one after the other and starts each with another binary.
func (n *nodes) upgrade(ctx context.Context, binary string) error {
	for i := range members {
		short, cancel := context.WithTimeout(ctx, 20*time.Second)
		err := n.running[i].Stop(short)
		cancel()
		if err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
		n.options[i].Binary = binary
		if err := n.beginAndRest(ctx, i); err != nil {
			return err
		}
	}
	n.worker.kill()
	n.worker.command = binary
	if err := n.c.launch(&n.worker); err != nil {
		return err
	}
	return rest(ctx, 2*time.Second)
}
