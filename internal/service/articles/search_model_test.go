package articles_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/identity/identitytest"
)

// modelItem is an item as the model knows it.
type modelItem struct {
	id, title string
	words     []string
	tag       string
	private   bool
}

// TestSearchAgreesWithModel writes, changes, hides and deletes items at random
// and compares every search with a list that is walked through.
func TestSearchAgreesWithModel(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build, func(t *testing.T, h *identitytest.Server) {
		ada := client{h, t, h.Token("ada")}
		random := rand.New(rand.NewPCG(1, 2))
		pick := func(list []string) string { return list[random.IntN(len(list))] }
		vocabulary, tags := []string{"red", "green", "blue", "東京", "c++"}, []string{"one", "two"}
		var items []modelItem
		for n := range 48 {
			switch {
			case n%4 == 3 && len(items) > 1:
				at := random.IntN(len(items))
				if random.IntN(2) == 0 {
					ada.call("DELETE", "items/"+items[at].id, "", 204)
					items = slices.Delete(items, at, at+1)
				} else if !items[at].private {
					items[at].words, items[at].tag = []string{pick(vocabulary)}, pick(tags)
					ada.call("PATCH", "items/"+items[at].id, itemBody(t, items[at]), 200)
				} else {
					items[at].private = false
					ada.call("PATCH", "items/"+items[at].id, `{"private":false}`, 200)
				}
			default:
				p := modelItem{title: fmt.Sprintf("T%d", n), words: []string{pick(vocabulary), pick(vocabulary)},
					tag: pick(tags), private: random.IntN(5) == 0}
				p.id = fmt.Sprint(ada.call("POST", "items", itemBody(t, p), 201)["id"])
				items = append(items, p)
			}
			if n%2 == 0 {
				continue // what an index gets wrong it still has wrong one write later
			}
			a, b, tag := pick(vocabulary), pick(vocabulary), pick(tags)
			has := func(p modelItem, w string) bool { return slices.Contains(p.words, w) }
			for query, holds := range map[string]func(modelItem) bool{
				a:                            func(p modelItem) bool { return has(p, a) },
				a + " " + b:                  func(p modelItem) bool { return has(p, a) && has(p, b) },
				a + " -" + b:                 func(p modelItem) bool { return has(p, a) && !has(p, b) },
				a + " OR " + b:               func(p modelItem) bool { return has(p, a) || has(p, b) },
				"-" + a:                      func(p modelItem) bool { return !has(p, a) },
				a + " tag:" + tag:            func(p modelItem) bool { return has(p, a) && p.tag == tag },
				"body:" + a + " -title:" + b: func(p modelItem) bool { return has(p, a) },
				"code:" + a:                  func(modelItem) bool { return false },
				"-tag:" + tag:                func(p modelItem) bool { return p.tag != tag },
				"user:ada -title:T1 " + a:    func(p modelItem) bool { return has(p, a) && p.title != "T1" },
			} {
				var want []string
				for i := len(items) - 1; i >= 0; i-- {
					if !items[i].private && holds(items[i]) {
						want = append(want, items[i].title)
					}
				}
				got, total := ada.find(query)
				if total != fmt.Sprint(len(want)) || !slices.Equal(got, want[:min(len(want), 20)]) {
					t.Fatalf("step %d, %q: got %q of %s, want %q of %d", n, query, got, total, want, len(want))
				}
			}
		}
	})
}

func itemBody(t *testing.T, p modelItem) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"title": p.title, "body": strings.Join(p.words,
			" . "), "private": p.private, "tags": []any{map[string]any{"name": p.tag}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
