package articles_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/articles"
)

// wideTable is 20 kB that would become eight million cells.
func wideTable() string {
	return strings.Repeat("|a", 2000) + "|\n" + strings.Repeat("|-", 2000) + "|\n" + strings.Repeat("|\n", 4000)
}

func quoted(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestComplexTextIsRefused: a text that would become too much is refused with the
// reason, wherever a text is rendered.
func TestComplexTextIsRefused(t *testing.T) {
	t.Parallel()
	h := identitytest.Open(t, build, "")
	auth := "Authorization: Bearer " + h.Token("ada")
	var made struct{ ID string }
	w := h.Call("POST", "https://localhost/api/v2/items", `{"title":"T","body":"b","tags":[{"name":"x"}]}`, auth)
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || made.ID == "" {
		t.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
	table := quoted(t, wideTable())
	for name, row := range map[string]struct{ method, path, body string }{
		"preview":        {"POST", "/api/preview", `{"raw_body":` + table + `}`},
		"a new item":     {"POST", "/api/v2/items", `{"title":"T","body":` + table + `,"tags":[{"name":"x"}]}`},
		"a changed item": {"PATCH", "/api/v2/items/" + made.ID, `{"body":` + table + `}`},
		"a new comment":  {"POST", "/api/v2/items/" + made.ID + "/comments", `{"body":` + table + `}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := h.Call(row.method, "https://localhost"+row.path, row.body, auth)
			want := `{"message":"The text cannot be shown as Markdown: its tables have more than 50000 cells",` +
				`"type":"bad_request"}`
			if w.Code != 400 || strings.TrimSpace(w.Body.String()) != want {
				t.Errorf("%d %.300s, want 400 %s", w.Code, w.Body, want)
			}
		})
	}
}

// TestComplexTextThatIsStored: what an older server took is shown as it was
// written, with the reason.
func TestComplexTextThatIsStored(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build, func(t *testing.T, h *identitytest.Server) {
		auth := "Authorization: Bearer " + h.Token("ada")
		var made struct {
			ID       string
			Rendered string `json:"rendered_body"`
		}
		w := h.Call("POST", "https://localhost/api/v2/items", `{"title":"T","body":"b","tags":[{"name":"x"}]}`, auth)
		if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil {
			t.Fatal(err)
		}
		err := h.World.DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			_, err := tx.Exec(t.Context(), `UPDATE articles_items SET body = $1, renderer = 0`, wideTable())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Module.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := h.World.Jobs.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		w = h.Call("GET", "https://localhost/api/v2/items/"+made.ID, "", auth)
		if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil {
			t.Fatal(err)
		}
		want := "<p>The text cannot be shown as Markdown: its tables have more than 50000 cells</p>\n<pre>|a|a"
		if !strings.HasPrefix(made.Rendered, want) {
			t.Errorf("got %.200q, want %q first", made.Rendered, want)
		}
	})
}

// TestManyRenderings: texts that are rendered at once share the memory of the
// process, and one too many is refused for now.
func TestManyRenderings(t *testing.T) {
	t.Parallel()
	pool := budget.New(budget.Options{Name: "memory", Total: 40 << 20, PerOwner: 20 << 20})
	h := identitytest.Open(t, func(w *world.World, identity *identity.Identity) module.Module {
		w.Memory = pool
		return articles.New(w, identity, grants.New(w, identity), articles.DefaultConfig()).Module()
	}, "")
	body := `{"raw_body":` + quoted(t, strings.Repeat("*a* b\n\n", 6_000)) + `}`
	tokens := []string{h.Token("ada"), h.Token("grace"), h.Token("alan")}
	var group sync.WaitGroup
	var mu sync.Mutex
	seen := map[int]int{}
	for n := range 24 {
		group.Go(func() {
			w := h.Call("POST", "https://localhost/api/preview", body, "Authorization: Bearer "+tokens[n%len(tokens)])
			mu.Lock()
			defer mu.Unlock()
			seen[w.Code]++
			if w.Code == 403 && (!strings.Contains(w.Body.String(), "rate_limit_exceeded") ||
				w.Header().Get("Retry-After") == "") {
				t.Errorf("403 %s, want rate_limit_exceeded and Retry-After", w.Body)
			}
		})
	}
	group.Wait()
	if seen[200]+seen[403] != 24 || pool.Used() != 0 {
		t.Errorf("statuses %v and %d bytes held, want 200 and 403 and nothing held", seen, pool.Used())
	}
	if w := h.Call("POST", "https://localhost/api/preview", body, "Authorization: Bearer "+tokens[0]); w.Code != 200 {
		t.Errorf("alone: %d %.200s, want 200", w.Code, w.Body)
	}
}

// TestLongAnswers: lists of long texts take memory while their rows are read, on
// every path that reads some, and one that has no memory left is refused for now.
func TestLongAnswers(t *testing.T) {
	t.Parallel()
	pool := budget.New(budget.Options{Name: "memory", Total: 64 << 20, PerOwner: 32 << 20})
	h := identitytest.Open(t, func(w *world.World, identity *identity.Identity) module.Module {
		w.Memory = pool
		return articles.New(w, identity, grants.New(w, identity), articles.DefaultConfig()).Module()
	}, "")
	auth := "Authorization: Bearer " + h.Token("ada")
	text := quoted(t, strings.Repeat("a", 500_000)) // one word: what is looked up is not the question
	var made struct{ ID string }
	for range 4 {
		w := h.Call("POST", "https://localhost/api/v2/items", `{"title":"T","body":`+text+`,"tags":[{"name":"x"}]}`,
			auth)
		if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != 201 {
			t.Fatalf("%d %.200s: %v", w.Code, w.Body, err)
		}
	}
	comment := `{"body":` + quoted(t, strings.Repeat("a", 60_000)) + `}`
	for range 4 {
		if w := h.Call("POST", "https://localhost/api/v2/items/"+made.ID+"/comments", comment, auth); w.Code != 201 {
			t.Fatalf("%d %.200s", w.Code, w.Body)
		}
	}
	for _, path := range []string{"items?per_page=100", "users/ada/items", "tags/x/items",
		"items/" + made.ID + "/comments"} {
		if w := h.Call("GET", "https://localhost/api/v2/"+path, "", auth); w.Code != 200 {
			t.Errorf("%s: %d %.200s, want 200", path, w.Code, w.Body)
		}
		held, err := pool.Take(t.Context(), budget.Caller("one"), 32<<20)
		if err != nil {
			t.Fatal(err)
		}
		also, err := pool.Take(t.Context(), budget.Caller("another"), 32<<20-1024)
		if err != nil {
			t.Fatal(err)
		}
		if w := h.Call("GET", "https://localhost/api/v2/"+path, "", auth); w.Code != 403 ||
			!strings.Contains(w.Body.String(), "rate_limit_exceeded") {
			t.Errorf("%s: %d %.200s, want 403 rate_limit_exceeded while there is no memory", path, w.Code, w.Body)
		}
		held.Release()
		also.Release()
	}
	if pool.Used() != 0 {
		t.Errorf("%d bytes are still held", pool.Used())
	}
}

// TestLongestPages: a page of items that are longer together than one caller may
// hold is sent in smaller pieces; one that is too long alone is refused as the
// server's matter, not the request's.
func TestLongestPages(t *testing.T) {
	t.Parallel()
	large := budget.New(budget.Options{Name: "memory", Total: 64 << 20, PerOwner: 32 << 20})
	var own *world.World
	h := identitytest.Open(t, func(w *world.World, identity *identity.Identity) module.Module {
		w.Memory, own = large, w
		return articles.New(w, identity, grants.New(w, identity), articles.DefaultConfig()).Module()
	}, "")
	auth := "Authorization: Bearer " + h.Token("ada")
	text := quoted(t, strings.Repeat("a", 500_000)) // one word: what is looked up is not the question
	var made struct{ ID string }
	for range 8 {
		w := h.Call("POST", "https://localhost/api/v2/items", `{"title":"T","body":`+text+`,"tags":[{"name":"x"}]}`,
			auth)
		if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != 201 {
			t.Fatalf("%d %.200s: %v", w.Code, w.Body, err)
		}
	}
	for _, row := range []struct {
		path     string
		perOwner int64
		want     int
		items    int
	}{
		{"items?per_page=100", 8 << 20, 200, 8},
		{"users/ada/items", 8 << 20, 200, 8},
		{"items/" + made.ID, 8 << 20, 200, 1},
		{"items?per_page=100", 1 << 20, 403, 0},
		{"items/" + made.ID, 1 << 20, 403, 0},
	} {
		pool := budget.New(budget.Options{Name: "memory", Total: 64 << 20, PerOwner: row.perOwner})
		own.Memory = pool
		w := h.Call("GET", "https://localhost/api/v2/"+row.path, "", auth)
		if got := strings.Count(w.Body.String(), `"rendered_body"`); w.Code != row.want || got != row.items {
			t.Errorf("%s with %d bytes: %d and %d items, want %d and %d: %.200s", row.path, row.perOwner, w.Code, got,
				row.want, row.items, w.Body)
		}
		if row.want == 403 && !strings.Contains(w.Body.String(), "rate_limit_exceeded") {
			t.Errorf("%s: %s, want rate_limit_exceeded", row.path, w.Body)
		}
		if w.Code == 200 && !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: the answer is not JSON", row.path)
		}
		if pool.Used() != 0 {
			t.Errorf("%s: %d bytes are still held", row.path, pool.Used())
		}
	}
}

// TestExpandedPages: what variables add to the texts of templates is memory too. A name is eight times as long as the
// variable that stands for it.
func TestExpandedPages(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	name := strings.Repeat("n", 39)
	token := s.join(name)[0]
	body := quoted(t, strings.Repeat("%{me}", 52_000))
	for range 8 {
		s.want(201, "POST", teamHost, "templates", `{"name":"n","title":"t","tags":[],"body":`+body+`}`, token)
	}
	// Three times as much as the rows take, and less than what they become.
	pool := budget.New(budget.Options{Name: "memory", Total: 64 << 20, PerOwner: 20 << 20})
	s.World.Memory = pool
	if w := s.call("GET", teamHost, "/api/v2/templates?per_page=100", "", token); w.Code != 403 ||
		!strings.Contains(w.Body.String(), "rate_limit_exceeded") {
		t.Errorf("a page of %d bytes: %d %.200s, want 403", w.Body.Len(), w.Code, w.Body)
	}
	s.want(200, "GET", teamHost, "templates?per_page=1", "", token)
	if pool.Used() != 0 {
		t.Errorf("%d bytes are still held", pool.Used())
	}
}
