package articles_test

import (
	"fmt"
	"net/http/httptest"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/identity/identitytest"
)

// TestACrowdAtOnce has sixty people like, stock and comment on one
// item at once, twice each, and half of them take their stock back.
func TestACrowdAtOnce(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build, func(t *testing.T, h *identitytest.Server) {
		const people = 60
		ada := site{h, t, h.Token("ada")}
		id := ada.post("T", "b", "Go")
		tokens := make([]string, people)
		for n := range tokens {
			tokens[n] = h.Token(fmt.Sprintf("person%d", n))
		}
		call := func(token, method, path, body string) *httptest.ResponseRecorder {
			return h.Call(method, "https://localhost/api/v2/"+path, body, "Authorization: Bearer "+token)
		}
		var crowd sync.WaitGroup
		for n, token := range tokens {
			crowd.Go(func() {
				for _, row := range []struct {
					method, path, body string
					want               int
				}{
					{"PUT", "items/" + id + "/like", "", 204},
					{"PUT", "items/" + id + "/stock", "", 204},
					{"POST", "items/" + id + "/comments", `{"body":"x"}`, 201},
					{"PUT", "items/" + id + "/like", "", 204},
					{"PUT", "users/ada/following", "", 204},
					{"GET", "items/" + id, "", 200},
				} {
					if w := call(token, row.method, row.path, row.body); w.Code != row.want {
						t.Errorf("%s %s: %d %s, want %d", row.method, row.path, w.Code, w.Body, row.want)
					}
				}
				if n%2 == 0 {
					call(token, "DELETE", "items/"+id+"/stock", "")
				}
			})
		}
		crowd.Wait()
		item := ada.call("GET", "items/"+id, "", 200)
		user, _ := item["user"].(map[string]any)
		for name, row := range map[string]struct{ got, want any }{
			"likes": {item["likes_count"], float64(people)}, "stocks": {item["stocks_count"], float64(people / 2)},
			"comments": {item["comments_count"], float64(people)}, "followers": {user["followers_count"], float64(people)},
		} {
			if row.got != row.want {
				t.Errorf("%s: got %v, want %v", name, row.got, row.want)
			}
		}
		for path, want := range map[string]int{"likes": people, "stockers": people / 2, "comments": people} {
			w := call(ada.token, "GET", "items/"+id+"/"+path, "")
			if w.Header().Get("Total-Count") != fmt.Sprint(want) {
				t.Errorf("%s: total %s, want %d", path, w.Header().Get("Total-Count"), want)
			}
		}
	})
}
