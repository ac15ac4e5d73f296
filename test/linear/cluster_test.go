package linear_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/deliver/delivertest"
	"stoa.dev/stoa/test/program"
)

// cluster is one or several nodes on the same data.
type cluster struct {
	t       *testing.T // which the nodes end with
	options []program.Options
	client  *http.Client

	mu    sync.Mutex
	back  sync.Cond          // a node came back
	nodes []*program.Process // nil while one is away
	token map[string]string  // by service

	receiver *delivertest.Receiver   // of the messages to channels
	server   *databasetest.OwnServer // nil with SQLite
	down     bool                    // the database is being restarted
	acted    time.Duration           // how long clients acted in all histories
	restarts bool                    // PostgreSQL is restarted in the place of a node's kill
}

// environment keeps the limits of requests out of the histories and allows the receiver.
func (c *cluster) environment(more ...string) []string {
	return append([]string{
		"STOA_CALENDAR_REQUESTS_PER_MINUTE=100000000", "STOA_APIKEYS_REQUESTS_PER_MINUTE=100000000",
		"STOA_TASKS_REQUESTS_PER_DAY=100000000", "STOA_LOG_LEVEL=error",
		"STOA_DELIVER_TRUSTED_CA_FILE=" + c.receiver.Config.TrustedCAFile, "STOA_DELIVER_ALLOW=127.0.0.0/8",
	}, more...)
}

// startCluster begins the nodes and makes a user with credentials.
func startCluster(t *testing.T, postgres bool) *cluster {
	t.Helper()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{
		t:        t,
		token:    map[string]string{},
		receiver: delivertest.NewReceiver(t),
		client:   &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}, Timeout: 5 * time.Second},
	}
	c.back.L = &c.mu
	t.Cleanup(c.client.CloseIdleConnections)
	first := t.TempDir()
	c.options = []program.Options{{Binary: binary, Data: first, Env: c.environment()}}
	if postgres {
		c.server = databasetest.StartServer(t)
		args := []string{"--database", c.server.URL(t)}
		c.options[0].Args = args
		for range 2 {
			c.options = append(c.options, program.Options{
				Binary: binary, Data: t.TempDir(), Args: args,
				Env: c.environment("STOA_ROOT_KEY=" + filepath.Join(first, "root.key")),
			})
		}
	}
	c.nodes = make([]*program.Process, len(c.options))
	for i := range c.options {
		c.begin(i)
	}
	c.prepare(t)
	return c
}

// begin starts a node, at the address that it had before.
func (c *cluster) begin(i int) {
	c.t.Helper()
	p, err := program.Start(c.t.Context(), c.options[i])
	if err != nil {
		panic(fmt.Sprintf("node %d does not begin: %v", i, err)) // clients wait for it
	}
	c.t.Cleanup(p.Kill)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(p.URL, "http://"))
	if err != nil {
		panic(err) // the program printed it
	}
	c.options[i].Listen = net.JoinHostPort("127.0.0.1", port)
	c.client.CloseIdleConnections() // those of before lead nowhere
	c.mu.Lock()
	c.nodes[i] = p
	c.mu.Unlock()
	c.back.Broadcast()
}

// kill ends a node in the middle of everything and brings it back.
func (c *cluster) kill(i int) {
	c.mu.Lock()
	p := c.nodes[i]
	c.nodes[i] = nil
	c.mu.Unlock()
	p.Kill()
	c.begin(i)
}

// pause stops a node for a while, as a machine that swaps does, and lets it go on.
func (c *cluster) pause(t *testing.T, i int) {
	t.Helper()
	c.mu.Lock()
	p := c.nodes[i]
	c.mu.Unlock()
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		t.Error(err)
	}
	time.Sleep(time.Second)
	if err := p.Signal(syscall.SIGCONT); err != nil {
		t.Error(err)
	}
}

// admin runs a command at the first node and returns a member of what it says.
func (c *cluster) admin(t *testing.T, command, member string, values map[string][]string) string {
	t.Helper()
	commands, _, err := admin.Dial(t.Context(), c.options[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	defer commands.Close()
	text, err := commands.Run(t.Context(), command, values, nil)
	if err != nil {
		t.Fatal(err)
	}
	var made map[string]any
	if err := json.Unmarshal(text, &made); err != nil {
		t.Fatal(err)
	}
	secret, _ := made[member].(string)
	return secret
}

func (c *cluster) prepare(t *testing.T) {
	t.Helper()
	c.admin(t, "user add", "", map[string][]string{"name": {"ada"}, "password": {"correct horse battery staple"}})
	for _, service := range []string{"calendar", "tasks"} {
		c.token[service] = c.admin(t, "token issue", "token",
			map[string][]string{"user": {"ada"}, "service": {service}})
	}
}

// disturb kills a node, or restarts PostgreSQL where it is its turn.
func (c *cluster) disturb(t *testing.T) {
	t.Helper()
	if c.server == nil || !c.restarts {
		c.kill(len(c.nodes) - 1)
		return
	}
	c.setDown(true)
	if err := c.server.Restart(t.Context()); err != nil {
		panic(err) // clients wait for it
	}
	c.setDown(false)
}

func (c *cluster) setDown(down bool) {
	c.mu.Lock()
	c.down = down
	c.mu.Unlock()
	c.back.Broadcast()
}

// awaitDatabase keeps a client from acting all the time that there is no database: one act
// of each meets its end, and more would only be refused.
func (c *cluster) awaitDatabase() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.down {
		c.back.Wait()
	}
}

// awaitReady waits until every node answers from its database again.
func (c *cluster) awaitReady(t *testing.T) {
	t.Helper()
	for i := range c.nodes {
		for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
			a := c.send(t.Context(), i, "GET", "/tasks/v1/users/@me/lists", c.token["tasks"], "", nil)
			if a.status == http.StatusOK {
				break
			}
			if time.Since(began) > time.Minute {
				t.Fatalf("node %d does not come back: %v", i, a)
			}
		}
	}
}

// node is the address of one that is there; it waits for one.
func (c *cluster) node(i int) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for j := range c.nodes {
			if p := c.nodes[(i+j)%len(c.nodes)]; p != nil {
				return p.URL
			}
		}
		c.back.Wait()
	}
}

// answer is what came back; a status of 0 is none, or one that says nothing about
// whether the act was done.
type answer struct {
	status int
	body   map[string]any
}

// send asks a node. What is no JSON object comes back as an empty one.
func (c *cluster) send(ctx context.Context, node int, method, path, bearer, ifMatch string, body any) answer {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.node(node)+path, strings.NewReader(string(text)))
	if err != nil {
		panic(err)
	}
	r.Header.Set("Authorization", "Bearer "+bearer)
	r.Header.Set("Content-Type", "application/json")
	if ifMatch != "" {
		r.Header.Set("If-Match", ifMatch)
	}
	response, err := c.client.Do(r)
	if err != nil {
		return answer{}
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	a := answer{status: response.StatusCode}
	if err != nil || response.StatusCode >= 500 {
		return answer{}
	}
	_ = json.Unmarshal(content, &a.body) // as said
	return a
}

// must is send for what prepares a history.
func (c *cluster) must(t *testing.T, method, path, bearer string, body any) map[string]any {
	t.Helper()
	a := c.send(t.Context(), 0, method, path, bearer, "", body)
	if a.status != http.StatusOK {
		t.Fatalf("%s %s: %d %v", method, path, a.status, a.body)
	}
	return a.body
}

// text is a member of an answer.
func (a answer) text(name string) string {
	value, _ := a.body[name].(string)
	return value
}

func (a answer) String() string { return fmt.Sprint(a.status, " ", a.body) }
