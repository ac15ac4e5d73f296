package tasks_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/service/tasks"
)

// model is a list as a plain tree: the children of each task in order.
type model struct {
	children map[string][]string
	parent   map[string]string
}

func (m *model) remove(id string) {
	p := m.parent[id]
	m.children[p] = slices.DeleteFunc(slices.Clone(m.children[p]), func(c string) bool { return c == id })
}

func (m *model) put(id, parent, previous string) {
	at := 0
	if previous != "" {
		at = slices.Index(m.children[parent], previous) + 1
	}
	m.children[parent] = slices.Insert(slices.Clone(m.children[parent]), at, id)
	m.parent[id] = parent
}

// below reports whether id is ancestor or below it.
func (m *model) below(id, ancestor string) bool {
	for ; id != ""; id = m.parent[id] {
		if id == ancestor {
			return true
		}
	}
	return false
}

func (m *model) drop(id string) {
	for _, child := range m.children[id] {
		m.drop(child)
	}
	m.remove(id)
	delete(m.children, id)
	delete(m.parent, id)
}

// TestTreeMatchesAModel runs random inserts, moves and deletes against the
// service and a plain tree, on both databases.
func TestTreeMatchesAModel(t *testing.T) {
	t.Parallel()
	c := tasks.DefaultConfig()
	c.RequestsPerDay = 1_000_000
	identitytest.Run(t, build(c), func(t *testing.T, h *identitytest.Server) {
		user := client{t, h, h.Token("ada")}
		rapid.Check(t, func(rt *rapid.T) {
			list := text(user.ok(200, "POST", "/users/@me/lists", `{"title":"model"}`), "id")
			defer user.ok(204, "DELETE", "/users/@me/lists/"+list, "")
			m := &model{children: map[string][]string{}, parent: map[string]string{}}
			for range rapid.IntRange(1, 12).Draw(rt, "steps") {
				all := slices.Sorted(keys(m.parent))
				parent := rapid.SampledFrom(append(all, "")).Draw(rt, "parent")
				siblings := append([]string{""}, m.children[parent]...)
				previous := rapid.SampledFrom(siblings).Draw(rt, "previous")
				query := "?parent=" + parent + "&previous=" + previous
				switch {
				case len(all) == 0 || rapid.IntRange(0, 2).Draw(rt, "kind") == 0:
					m.put(text(user.insert(list, "{}", query), "id"), parent, previous)
				case rapid.IntRange(0, 5).Draw(rt, "delete") == 0:
					id := rapid.SampledFrom(all).Draw(rt, "task")
					user.ok(204, "DELETE", "/lists/"+list+"/tasks/"+id, "")
					m.drop(id)
				default:
					id := rapid.SampledFrom(all).Draw(rt, "task")
					path := "/lists/" + list + "/tasks/" + id + "/move" + query
					if m.below(parent, id) || previous == id {
						user.refused(400, "invalid", "POST", path, "")
						continue
					}
					user.ok(200, "POST", path, "")
					m.remove(id)
					m.put(id, parent, previous)
				}
			}
			if got, want := tree(user, list), m.children; !same(got, want) {
				rt.Fatalf("tree = %v, want %v", got, want)
			}
		})
	})
}

// TestRanksAreGivenAnew: however cleverly three tasks are moved between each
// other, their positions stay short and in order.
func TestRanksAreGivenAnew(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build(tasks.DefaultConfig()), func(t *testing.T, h *identitytest.Server) {
		user := client{t, h, h.Token("ada")}
		var row []map[string]any
		for _, title := range []string{"c", "b", "a"} {
			row = append([]map[string]any{user.insert("@default", `{"title":"`+title+`"}`, "")}, row...)
		}
		move := func(task, previous map[string]any) map[string]any {
			path := "/lists/@default/tasks/" + text(task, "id") + "/move?previous=" + text(previous, "id")
			return user.ok(200, "POST", path, "")
		}
		longest := 0
		for n := range 160 {
			// The neighbours that are closest get the third between them.
			first, third := row[0], row[2]
			if prefix(row[0], row[1]) > prefix(row[1], row[2]) {
				third = move(third, first)
				row = []map[string]any{row[0], third, row[1]}
			} else {
				first = move(first, row[1])
				row = []map[string]any{row[1], first, row[2]}
			}
			longest = max(longest, len(text(row[1], "position")))
			if n%10 != 0 {
				continue // Only new ranks make the positions of the others old.
			}
			listed := user.ok(200, "GET", "/lists/@default/tasks", "")["items"].([]any)
			for i, item := range listed {
				if got := item.(map[string]any); text(got, "id") != text(row[i], "id") {
					t.Fatalf("place %d has %v, want %v", i, got["title"], row[i]["title"])
				}
				row[i] = item.(map[string]any)
			}
		}
		if longest > 120 {
			t.Errorf("a position has %d digits, want 120 at most", longest)
		}
	})
}

// prefix is how many digits two positions have in common.
func prefix(a, b map[string]any) int {
	p, q := text(a, "position"), text(b, "position")
	for i := range min(len(p), len(q)) {
		if p[i] != q[i] {
			return i
		}
	}
	return min(len(p), len(q))
}

// TestMovesNeverLose lets eight clients move the same tasks between two lists.
func TestMovesNeverLose(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build(tasks.DefaultConfig()), func(t *testing.T, h *identitytest.Server) {
		user := client{t, h, h.Token("ada")}
		lists := []string{
			text(user.ok(200, "POST", "/users/@me/lists", `{"title":"a"}`), "id"),
			text(user.ok(200, "POST", "/users/@me/lists", `{"title":"b"}`), "id"),
		}
		var all []string
		for i := range 10 {
			all = append(all, text(user.insert(lists[0], fmt.Sprintf(`{"title":"%d"}`, i), ""), "id"))
		}
		var wg sync.WaitGroup
		for worker := range 8 {
			wg.Go(func() {
				random := ids.Seeded(uint64(worker))
				for range 15 {
					task, from := all[random.Int64N(10)], random.Int64N(2)
					path := "/lists/" + lists[from] + "/tasks/" + task + "/move?destinationTasklist=" + lists[1-from]
					if w := user.call("POST", path, ""); w.Code != 200 && w.Code != 404 {
						t.Errorf("move = %d %s", w.Code, w.Body)
					}
				}
			})
		}
		wg.Wait()
		var found []string
		for _, list := range lists {
			for _, item := range user.ok(200, "GET", "/lists/"+list+"/tasks", "")["items"].([]any) {
				found = append(found, text(item.(map[string]any), "id"))
			}
		}
		slices.Sort(found)
		slices.Sort(all)
		if !slices.Equal(found, all) {
			t.Errorf("%d tasks are left of %d, some may be twice: %v", len(found), len(all), found)
		}
	})
}

// tree reads a list as the model keeps it.
func tree(c client, list string) map[string][]string {
	out := map[string][]string{}
	for _, item := range c.ok(200, "GET", "/lists/"+list+"/tasks?maxResults=100", "")["items"].([]any) {
		task := item.(map[string]any)
		out[text(task, "parent")] = append(out[text(task, "parent")], text(task, "id"))
	}
	return out
}

func same(a, b map[string][]string) bool {
	for _, key := range append(slices.Collect(keys(a)), slices.Collect(keys(b))...) {
		if !slices.Equal(a[key], b[key]) {
			return false
		}
	}
	return true
}

func keys[V any](m map[string]V) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
