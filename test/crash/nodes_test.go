package crash_test

import (
	"context"
	"flag"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/deliver/delivertest"
	"stoa.dev/stoa/test/program"
)

var nodesFor = flag.Duration("nodes-for", 10*time.Second, "how long TestKillNodes kills one of three nodes in turn")

// perReceiver is how many calls a node makes at once for one owner to one receiver, which are all that a kill of it
// can repeat.
const perReceiver = 16

// nodeRun is three servers on one database.
type nodeRun struct {
	*channelRun
	nodes   []program.Options
	running []atomic.Pointer[program.Process] // nil while one is away
}

// TestKillNodes kills one of three nodes every 5 s, in the middle of the messages that it sends, and starts it again.
// Every acknowledged change arrives at every channel, in order, and what comes again is bounded.
func TestKillNodes(t *testing.T) {
	t.Parallel()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := &nodeRun{channelRun: &channelRun{
		size: announcements{calendars: 8, channels: 3}, binary: binary, data: t.TempDir(),
		args: []string{"--database", databasetest.PostgresURL(t)}, receiver: delivertest.NewReceiver(t),
	}}
	n.seen.channels = map[string]*channelLedger{}
	n.receiver.Reply(n.seen.take)
	n.watch(t)
	n.begin(t)
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	for i := range n.calendars {
		writers.Go(func() { n.write(ctx, i) })
	}
	kills, pause := 0, min(5*time.Second, *nodesFor/5)
	for end := time.Now().Add(*nodesFor); time.Now().Before(end); kills++ {
		time.Sleep(pause)
		i := kills % len(n.nodes)
		n.running[i].Swap(nil).Kill()
		n.startNode(t, i)
	}
	stop()
	writers.Wait()
	n.audit(t, kills, kills*min(perReceiver, n.size.calendars*n.size.channels))
	if n.acknowledged.Load() < int64(kills) {
		t.Errorf("%d changes were acknowledged, too few to show anything", n.acknowledged.Load())
	}
}

// begin starts the nodes. The first has the folder that the channels were made with; the others share its key.
func (n *nodeRun) begin(t *testing.T) {
	t.Helper()
	n.nodes = []program.Options{n.options(), n.options(), n.options()}
	n.running = make([]atomic.Pointer[program.Process], len(n.nodes))
	for i := range n.nodes {
		if i > 0 {
			n.nodes[i].Data = t.TempDir()
			n.nodes[i].Env = append(n.nodes[i].Env, "STOA_ROOT_KEY="+filepath.Join(n.data, "root.key"))
		}
		n.startNode(t, i)
	}
}

// startNode starts a node, or brings it back.
func (n *nodeRun) startNode(t *testing.T, i int) {
	t.Helper()
	p, err := program.Start(t.Context(), n.nodes[i])
	if err != nil {
		t.Fatalf("node %d does not come back: %v", i, err)
	}
	t.Cleanup(p.Kill)
	n.running[i].Store(p)
}

// write changes a calendar through one node after the other until ctx ends.
func (n *nodeRun) write(ctx context.Context, i int) {
	const event = `{"start":{"date":"2026-03-10"},"end":{"date":"2026-03-11"}}`
	client := &http.Client{Transport: &http.Transport{}, Timeout: 20 * time.Second}
	defer client.CloseIdleConnections()
	for turn := i; ctx.Err() == nil; turn++ {
		p := n.running[turn%len(n.running)].Load()
		if p == nil {
			continue
		}
		s := &server{url: p.URL, http: client}
		// What was cut off may have happened or not; it is not counted.
		_, err := s.do(ctx, http.MethodPost, "/calendar/v3/calendars/"+n.calendars[i]+"/events", n.token, event)
		if err == nil {
			n.acked[i].Add(1)
			n.acknowledged.Add(1)
		}
	}
}
