package linear_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// kinds are the histories that can be had again and again, each on new objects.
func kinds() map[string]func(t *testing.T, c *cluster) {
	return map[string]func(t *testing.T, c *cluster){
		"events": changeEvent, "keys": exchangeKeys, "moves": moveTasks, "grants": redeemCodes, "channels": watchAndStop,
	}
}

// TestLinear runs every history on one node with SQLite and on three with PostgreSQL:
// once, or until clients have acted for as long as -for says. PostgreSQL is restarted in
// every second round then.
func TestLinear(t *testing.T) {
	t.Parallel()
	for name, postgres := range map[string]bool{"sqlite": false, "postgres": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startCluster(t, postgres)
			rounds := 0
			for ; (rounds == 0 || c.acted < *acting) && !t.Failed(); rounds++ {
				c.restarts = rounds%2 == 1
				for kind, run := range kinds() {
					t.Run(fmt.Sprint(kind, " ", rounds+1), func(t *testing.T) { run(t, c) })
				}
			}
			t.Run("limits", func(t *testing.T) { spendLimit(t, c) })
			t.Logf("%d clients acted for %s in %d rounds", clients(), c.acted.Round(time.Second), rounds)
		})
	}
}

// changeEvent: changes of one event with If-Match, and reads of it.
func changeEvent(t *testing.T, c *cluster) {
	t.Helper()
	bearer := c.token["calendar"]
	made := c.must(t, "POST", "/calendar/v3/calendars/primary/events", bearer, map[string]any{
		"summary": "first",
		"start":   map[string]string{"dateTime": "2030-01-01T10:00:00Z"},
		"end":     map[string]string{"dateTime": "2030-01-01T11:00:00Z"},
	})
	path := "/calendar/v3/calendars/primary/events/" + made["id"].(string)
	var mu sync.Mutex
	count := 0
	tags := make([]answer, clients()) // what each client read last
	drive(t, c, registerModel("first"), true, func(h *history, client int, r *rand.Rand) {
		if tags[client].status == 0 || r.IntN(3) == 0 {
			h.act(client, change{}, func() (any, bool) {
				tags[client] = c.send(t.Context(), r.IntN(3), "GET", path, bearer, "", nil)
				if tags[client].status == 0 {
					return nil, false
				}
				return changed{value: tags[client].text("summary")}, false
			})
			return
		}
		mu.Lock()
		count++
		value := fmt.Sprint("change ", count)
		mu.Unlock()
		last := tags[client]
		h.act(client, change{expect: last.text("summary"), value: value}, func() (any, bool) {
			a := c.send(t.Context(), r.IntN(3), "PATCH", path, bearer, last.text("etag"), map[string]string{"summary": value})
			switch tags[client] = a; a.status {
			case http.StatusOK:
				return changed{value: value}, false
			case http.StatusPreconditionFailed:
				tags[client] = answer{}
				return changed{refused: true}, false
			case 0:
				return changed{unknown: true}, true
			}
			t.Errorf("PATCH: %v", a)
			return nil, false
		})
	})
}

// exchangeKeys: exchanges of one key by clients that learn of each other's keys.
func exchangeKeys(t *testing.T, c *cluster) {
	t.Helper()
	var mu sync.Mutex
	live := c.admin(t, "key issue", "key",
		map[string][]string{"user": {"ada"}, "service": {"apikeys"}, "never": {"true"}})
	drive(t, c, chainModel(live), true, func(h *history, client int, r *rand.Rand) {
		mu.Lock()
		key := live
		mu.Unlock()
		h.act(client, change{expect: key}, func() (any, bool) {
			a := c.send(t.Context(), r.IntN(3), "POST", "/v2/api-keys/refresh", key, "",
				map[string]bool{"apiKeyNeverExpires": true})
			switch data, _ := a.body["data"].(map[string]any); a.status {
			case http.StatusOK:
				next, _ := data["apiKey"].(string)
				mu.Lock()
				if live == key {
					live = next
				}
				mu.Unlock()
				return changed{value: next}, false
			case http.StatusUnauthorized:
				return changed{refused: true}, false
			case 0:
				return changed{unknown: true}, true
			}
			t.Errorf("refresh: %v", a)
			return nil, false
		})
	})
}

// moveTasks: tasks of one list that are moved, and the order that is read.
func moveTasks(t *testing.T, c *cluster) {
	t.Helper()
	bearer := c.token["tasks"]
	list := c.must(t, "POST", "/tasks/v1/users/@me/lists", bearer, map[string]string{"title": "order"})["id"].(string)
	path := "/tasks/v1/lists/" + list + "/tasks"
	const tasks = 5
	for i := range tasks {
		c.must(t, "POST", path, bearer, map[string]string{"title": fmt.Sprint(i)})
	}
	order := func(a answer) string {
		items, _ := a.body["items"].([]any)
		slices.SortFunc(items, func(a, b any) int {
			return cmp.Compare(a.(map[string]any)["position"].(string), b.(map[string]any)["position"].(string))
		})
		var ids []string
		for _, item := range items {
			ids = append(ids, item.(map[string]any)["id"].(string))
		}
		return strings.Join(ids, " ")
	}
	first := order(c.send(t.Context(), 0, "GET", path, bearer, "", nil))
	ids := strings.Fields(first)
	if len(ids) != tasks {
		t.Fatalf("the list has %q", first)
	}
	drive(t, c, orderModel(first), true, func(h *history, client int, r *rand.Rand) {
		if r.IntN(2) == 0 {
			h.act(client, change{}, func() (any, bool) {
				a := c.send(t.Context(), r.IntN(3), "GET", path, bearer, "", nil)
				if a.status != http.StatusOK {
					return nil, false
				}
				return changed{value: order(a)}, false
			})
			return
		}
		from, to := r.IntN(tasks), r.IntN(tasks)
		in := change{value: ids[from]}
		query := ""
		if from != to {
			in.expect = ids[to]
			query = "?previous=" + url.QueryEscape(in.expect)
		}
		h.act(client, in, func() (any, bool) {
			switch a := c.send(t.Context(), r.IntN(3), "POST", path+"/"+in.value+"/move"+query, bearer, "", nil); a.status {
			case http.StatusOK:
				return changed{}, false
			case 0:
				return changed{unknown: true}, true
			default:
				t.Errorf("move: %v", a)
				return nil, false
			}
		})
	})
}

// TestModels: histories that cannot be are found.
func TestModels(t *testing.T) {
	t.Parallel()
	act := func(at int64, in change, out changed) porcupine.Operation {
		return porcupine.Operation{Input: in, Output: out, Call: at, Return: at + 1}
	}
	for name, row := range map[string]struct {
		model porcupine.Model
		acts  []porcupine.Operation
	}{
		"a lost write": {registerModel("a"), []porcupine.Operation{
			act(0, change{"a", "b"}, changed{value: "b"}), act(2, change{}, changed{value: "a"}),
		}},
		"two writes over one value": {registerModel("a"), []porcupine.Operation{
			act(0, change{"a", "b"}, changed{value: "b"}), act(2, change{"a", "c"}, changed{value: "c"}),
		}},
		"two successors of a key": {chainModel("a"), []porcupine.Operation{
			act(0, change{expect: "a"}, changed{value: "b"}), act(2, change{expect: "a"}, changed{value: "c"}),
		}},
		"a live key is refused": {chainModel("a"), []porcupine.Operation{
			act(0, change{expect: "a"}, changed{value: "b"}), act(2, change{expect: "b"}, changed{refused: true}),
		}},
		"a code that gives two tokens": {onceModel(), []porcupine.Operation{
			act(0, change{expect: "a"}, changed{}), act(2, change{expect: "a"}, changed{}),
		}},
		"a code that is refused and gives one": {onceModel(), []porcupine.Operation{
			act(0, change{expect: "a"}, changed{refused: true}), act(2, change{expect: "a"}, changed{}),
		}},
		"a channel that is made twice": {channelModel(), []porcupine.Operation{
			act(0, change{"a", "watch"}, changed{}), act(2, change{"a", "watch"}, changed{}),
		}},
		"a channel that ends twice": {channelModel(), []porcupine.Operation{
			act(0, change{"a", "watch"}, changed{}), act(2, change{"a", "stop"}, changed{}),
			act(4, change{"a", "stop"}, changed{}),
		}},
		"a channel that is there and not found": {channelModel(), []porcupine.Operation{
			act(0, change{"a", "watch"}, changed{}), act(2, change{"a", "stop"}, changed{refused: true}),
		}},
		"one more than the limit": {limitModel(1), []porcupine.Operation{
			act(0, change{}, changed{}), act(2, change{}, changed{}),
		}},
		"a refusal below the limit": {limitModel(1), []porcupine.Operation{act(0, change{}, changed{refused: true})}},
		"an old order": {orderModel("a b c"), []porcupine.Operation{
			act(0, change{"c", "a"}, changed{}), act(2, change{}, changed{value: "a b c"}),
		}},
	} {
		if porcupine.CheckOperations(row.model, row.acts) {
			t.Errorf("%s is not found", name)
		}
	}
	good := []porcupine.Operation{
		{Input: change{"a", "b"}, Output: changed{unknown: true}, Call: 0, Return: 1 << 60},
		act(2, change{}, changed{value: "a"}), act(4, change{}, changed{value: "b"}),
	}
	if !porcupine.CheckOperations(registerModel("a"), good) {
		t.Error("a write that happened after its caller gave up is refused")
	}
}
