package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/test/program"
)

// nodes are three Stoa servers on the cluster.
type nodes struct {
	options [members]program.Options
	mu      sync.Mutex
	running [members]*program.Process
}

func startNodes(ctx context.Context, binary, dir, database string) (*nodes, error) {
	n := &nodes{}
	for i := range members {
		folder := filepath.Join(dir, fmt.Sprint(i))
		n.options[i] = program.Options{Binary: binary, Data: folder, Args: []string{"--database", database}, Env: []string{
			"STOA_LOG_LEVEL=error", "STOA_TASKS_REQUESTS_PER_DAY=100000000",
		}}
		if i > 0 {
			n.options[i].Env = append(n.options[i].Env, "STOA_ROOT_KEY="+filepath.Join(dir, "0", "root.key"))
		}
		p, err := program.Start(ctx, n.options[i])
		if err != nil {
			n.stop()
			return nil, err
		}
		n.running[i] = p
		n.options[i].Listen = strings.TrimPrefix(p.URL, "http://")
	}
	return n, nil
}

func (n *nodes) stop() {
	for _, p := range n.running {
		if p != nil {
			p.Kill()
		}
	}
}

// restart kills a node and starts it again where it was.
func (n *nodes) restart(ctx context.Context, i int) error {
	n.running[i].Kill()
	if err := rest(ctx, 2*time.Second); err != nil {
		return err
	}
	p, err := program.Start(ctx, n.options[i])
	if err != nil {
		return err
	}
	n.running[i] = p
	return rest(ctx, 2*time.Second)
}

// load is clients that insert tasks, with a ledger of what they were told.
type load struct {
	urls   [members]string
	token  string
	client http.Client
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu      sync.Mutex
	sent    map[string]bool
	acked   map[string]bool
	refused int
	last    time.Time     // of the last acknowledgement
	longest time.Duration // between two of them, since measure began
}

const tasksPath = "/tasks/v1/lists/@default/tasks"

func startLoad(ctx context.Context, n *nodes) (*load, error) {
	commands, _, err := admin.Dial(ctx, n.options[0].Data)
	if err != nil {
		return nil, err
	}
	defer commands.Close()
	if _, err := commands.Run(ctx, "user add",
		map[string][]string{"name": {"ada"}, "password": {"correct horse battery staple"}}, nil); err != nil {
		return nil, err
	}
	text, err := commands.Run(ctx, "token issue", map[string][]string{"user": {"ada"}, "service": {"tasks"}}, nil)
	if err != nil {
		return nil, err
	}
	var made struct{ Token string }
	if err := json.Unmarshal(text, &made); err != nil {
		return nil, err
	}
	l := &load{token: made.Token, sent: map[string]bool{}, acked: map[string]bool{}, last: time.Now()}
	l.client.Timeout = 10 * time.Second
	ctx, l.cancel = context.WithCancel(ctx)
	for i := range members {
		l.urls[i] = n.running[i].URL
		l.work.Go(func() { l.insert(ctx, i) })
	}
	return l, nil
}

// insert is one client, of one node.
func (l *load) insert(ctx context.Context, node int) {
	for number := 0; ctx.Err() == nil; number++ {
		title := fmt.Sprintf("node %d task %d", node, number)
		l.mu.Lock()
		l.sent[title] = true
		l.mu.Unlock()
		status, _, err := l.send(ctx, node, http.MethodPost, tasksPath, fmt.Sprintf(`{"title":%q}`, title))
		l.mu.Lock()
		if err == nil && status == http.StatusOK {
			l.acked[title] = true
			now := time.Now()
			l.longest, l.last = max(l.longest, now.Sub(l.last)), now
		} else {
			l.refused++
		}
		l.mu.Unlock()
		_ = rest(ctx, 20*time.Millisecond)
	}
}

func (l *load) send(ctx context.Context, node int, method, path, body string) (int, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, l.urls[node]+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+l.token)
	r.Header.Set("Content-Type", "application/json")
	response, err := l.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return response.StatusCode, content, err
}

// measure prints how long writes stood while something was done, until one is
// acknowledged again.
func (l *load) measure(ctx context.Context, name string, do func() error) error {
	l.mu.Lock()
	l.longest, l.last = 0, time.Now()
	acked, refused := len(l.acked), l.refused
	l.mu.Unlock()
	if err := do(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	l.mu.Lock()
	after := len(l.acked)
	l.mu.Unlock()
	for end := time.Now().Add(time.Minute); ; {
		l.mu.Lock()
		now, longest, failed := len(l.acked), l.longest, l.refused-refused
		l.mu.Unlock()
		if now > after {
			fmt.Printf("%-46s %12s %10d %9d\n", name, longest.Round(10*time.Millisecond), now-acked, failed)
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s: no write is acknowledged a minute later", name)
		}
		if err := rest(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// audit ends the load and compares the ledger with what is stored.
func (l *load) audit(ctx context.Context) error {
	l.cancel()
	l.work.Wait()
	stored := map[string]int{}
	for page := ""; ; {
		path := tasksPath + "?maxResults=100&pageToken=" + url.QueryEscape(page)
		status, content, err := l.send(ctx, 0, http.MethodGet, path, "")
		var list struct {
			NextPageToken string
			Items         []struct{ Title string }
		}
		if err != nil || status != http.StatusOK || json.Unmarshal(content, &list) != nil {
			return fmt.Errorf("the list: %d %s: %w", status, content, err)
		}
		for _, i := range list.Items {
			stored[i.Title]++
		}
		if page = list.NextPageToken; page == "" {
			break
		}
	}
	lost, twice, foreign := 0, 0, 0
	for title := range l.acked {
		if stored[title] == 0 {
			lost++
		}
	}
	for title, times := range stored {
		if times > 1 {
			twice++
		}
		if !l.sent[title] {
			foreign++
		}
	}
	fmt.Printf("%d acknowledged, %d stored: %d lost, %d twice, %d never sent\n",
		len(l.acked), len(stored), lost, twice, foreign)
	if lost+twice+foreign > 0 {
		return errors.New("what is stored is not what was acknowledged")
	}
	return nil
}
