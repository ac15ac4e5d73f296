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

// paper is an item as the model knows it.
type paper struct {
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
		ada := site{h, t, h.Token("ada")}
		random := rand.New(rand.NewPCG(1, 2))
		pick := func(list []string) string { return list[random.IntN(len(list))] }
		vocabulary, tags := []string{"red", "green", "blue", "東京", "c++"}, []string{"one", "two"}
		var shelf []paper
		for n := range 48 {
			switch {
			case n%4 == 3 && len(shelf) > 1:
				at := random.IntN(len(shelf))
				if random.IntN(2) == 0 {
					ada.call("DELETE", "items/"+shelf[at].id, "", 204)
					shelf = slices.Delete(shelf, at, at+1)
				} else if !shelf[at].private {
					shelf[at].words, shelf[at].tag = []string{pick(vocabulary)}, pick(tags)
					ada.call("PATCH", "items/"+shelf[at].id, body(t, shelf[at]), 200)
				} else {
					shelf[at].private = false
					ada.call("PATCH", "items/"+shelf[at].id, `{"private":false}`, 200)
				}
			default:
				p := paper{title: fmt.Sprintf("T%d", n), words: []string{pick(vocabulary), pick(vocabulary)}, tag: pick(tags), private: random.IntN(5) == 0}
				p.id = fmt.Sprint(ada.call("POST", "items", body(t, p), 201)["id"])
				shelf = append(shelf, p)
			}
			a, b, tag := pick(vocabulary), pick(vocabulary), pick(tags)
			has := func(p paper, w string) bool { return slices.Contains(p.words, w) }
			for query, holds := range map[string]func(paper) bool{
				a:                            func(p paper) bool { return has(p, a) },
				a + " " + b:                  func(p paper) bool { return has(p, a) && has(p, b) },
				a + " -" + b:                 func(p paper) bool { return has(p, a) && !has(p, b) },
				a + " OR " + b:               func(p paper) bool { return has(p, a) || has(p, b) },
				"-" + a:                      func(p paper) bool { return !has(p, a) },
				a + " tag:" + tag:            func(p paper) bool { return has(p, a) && p.tag == tag },
				"body:" + a + " -title:" + b: func(p paper) bool { return has(p, a) },
				"code:" + a:                  func(paper) bool { return false },
				"-tag:" + tag:                func(p paper) bool { return p.tag != tag },
				"user:ada -title:T1 " + a:    func(p paper) bool { return has(p, a) && p.title != "T1" },
			} {
				var want []string
				for i := len(shelf) - 1; i >= 0; i-- {
					if !shelf[i].private && holds(shelf[i]) {
						want = append(want, shelf[i].title)
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

func body(t *testing.T, p paper) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"title": p.title, "body": strings.Join(p.words, " . "), "private": p.private, "tags": []any{map[string]any{"name": p.tag}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
