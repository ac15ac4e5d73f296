package lab_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app/demo"
	"stoa.dev/stoa/test/program"
)

// labToken opens the control API of the killed labs.
const labToken = "a-token-for-the-test-of-kills"

// TestKill kills a lab in the middle of forks, saves, resets and deletions.
// After the restart every world and snapshot that is listed is whole.
func TestKill(t *testing.T) {
	kills := 4
	if *full {
		kills = 50
	}
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	k := &killed{binary: binary, data: t.TempDir()}
	p, c := k.start(t)
	first := c.create(t, `{"name":"first"}`)
	first.ask(t, "POST", tasksPath, "", `{"title":"in every world"}`).want(t, http.StatusOK)
	for i := range kills {
		k.work(p, c, i, time.Duration(random.Int64N(int64(2*time.Second))))
		p, c = k.start(t)
		k.audit(t, c)
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

// killed is a lab's folder over many lives of the process.
type killed struct{ binary, data string }

func (k *killed) start(t *testing.T) (*program.Process, *control) {
	t.Helper()
	p, err := program.Start(t.Context(), program.Options{
		Binary: k.binary, Command: "lab", Data: k.data, Args: []string{"--token", labToken},
	})
	if err != nil {
		t.Fatalf("the lab does not come back: %v", err)
	}
	t.Cleanup(p.Kill)
	c := &control{url: p.URL, token: labToken, http: newClient()}
	t.Cleanup(c.http.CloseIdleConnections)
	return p, c
}

// work changes worlds from several sides and kills the process in the middle.
func (k *killed) work(p *program.Process, c *control, life int, alive time.Duration) {
	var group sync.WaitGroup
	var mu sync.Mutex
	dead := false
	for side := range 3 {
		group.Go(func() {
			for n := 0; ; n++ {
				mu.Lock()
				over := dead
				mu.Unlock()
				name := fmt.Sprintf("k%d-%d-%d", life, side, n)
				for _, r := range []struct{ method, path, body string }{
					{"POST", "/worlds/first/fork", `{"name":"` + name + `"}`},
					{"POST", "/worlds/" + name + "/snapshots", `{"name":"` + name + `"}`},
					{"POST", "/worlds/" + name + "/reset", "{}"},
					{"DELETE", "/worlds/" + name, ""},
				} {
					if n%2 == 1 && r.method == http.MethodDelete {
						continue // every second one stays
					}
					if _, err := send(c.http, r.method, c.url+"/lab/v1"+r.path, c.token, r.body); err != nil || over {
						return // the process is gone
					}
				}
			}
		})
	}
	time.Sleep(alive)
	p.Kill()
	mu.Lock()
	dead = true
	mu.Unlock()
	group.Wait()
}

// audit uses every world and every snapshot, then deletes all but the first.
func (k *killed) audit(t *testing.T, c *control) {
	t.Helper()
	var list struct{ Worlds []world }
	a := c.call(t, "GET", "/worlds", "").want(t, http.StatusOK)
	if err := json.Unmarshal(a.body, &list); err != nil {
		t.Fatal(err)
	}
	for _, w := range list.Worlds {
		if w.Name != "first" && !strings.HasPrefix(w.Name, "k") {
			continue
		}
		shown := c.world(t, c.call(t, "GET", "/worlds/"+w.Name, "").want(t, http.StatusOK))
		whole(t, shown)
		if w.Name != "first" {
			shown.delete(t)
		}
	}
	var saved struct{ Snapshots []struct{ Name string } }
	a = c.call(t, "GET", "/snapshots", "").want(t, http.StatusOK)
	if err := json.Unmarshal(a.body, &saved); err != nil {
		t.Fatal(err)
	}
	for _, s := range saved.Snapshots {
		w := c.create(t, `{"from":"snapshot:`+s.Name+`"}`)
		whole(t, w)
		w.delete(t)
		c.call(t, "DELETE", "/snapshots/"+s.Name, "").want(t, http.StatusNoContent)
	}
	t.Logf("%d worlds and %d snapshots are whole", len(list.Worlds), len(saved.Snapshots))
}

// whole fails unless the world has what the first one had, and can be changed.
func whole(t *testing.T, w *world) {
	t.Helper()
	if a := w.ask(t, "GET", tasksPath, "", ""); a.status != 200 || !strings.Contains(string(a.body), "in every world") {
		t.Errorf("world %s: %v", w.Name, a)
	}
	w.ask(t, "POST", tasksPath, "", `{"title":"after"}`).want(t, http.StatusOK)
	if _, err := demo.ReadEnv(w.Env["STOA_DATA"]); err != nil {
		t.Errorf("world %s: %v", w.Name, err)
	}
	if w.Name == "first" {
		return // the list was made after its birth
	}
	w.control.call(t, "POST", w.path()+"/reset", "{}").want(t, http.StatusOK)
	if a := w.ask(t, "GET", tasksPath, "", ""); a.status != 200 {
		t.Errorf("world %s after a reset: %v", w.Name, a)
	}
}
