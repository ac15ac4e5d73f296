package articles_test

import (
	"fmt"
	"net/http/httptest"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/identity/identitytest"
)

// TestManyUsersAtOnce has sixty users like, stock and comment on one item at once,
// twice each, and half of them take their stock back.
func TestManyUsersAtOnce(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build, func(t *testing.T, h *identitytest.Server) {
		const users = 60
		ada := client{h, t, h.Token("ada")}
		id := ada.post("T", "b", "Go")
		tokens := make([]string, users)
		for n := range tokens {
			tokens[n] = h.Token(fmt.Sprintf("user%d", n))
		}
		call := func(token, method, path, body string) *httptest.ResponseRecorder {
			return h.Call(method, "https://localhost/api/v2/"+path, body, "Authorization: Bearer "+token)
		}
		var group sync.WaitGroup
		for n, token := range tokens {
			group.Go(func() {
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
		group.Wait()
		item := ada.call("GET", "items/"+id, "", 200)
		user, _ := item["user"].(map[string]any)
		for name, row := range map[string]struct{ got, want any }{
			"likes": {item["likes_count"], float64(users)}, "stocks": {item["stocks_count"], float64(users / 2)},
			"comments": {item["comments_count"], float64(users)}, "followers": {user["followers_count"],
				float64(users)},
		} {
			if row.got != row.want {
				t.Errorf("%s: got %v, want %v", name, row.got, row.want)
			}
		}
		for path, want := range map[string]int{"likes": users, "stockers": users / 2, "comments": users} {
			w := call(ada.token, "GET", "items/"+id+"/"+path, "")
			if w.Header().Get("Total-Count") != fmt.Sprint(want) {
				t.Errorf("%s: total %s, want %d", path, w.Header().Get("Total-Count"), want)
			}
		}
	})
}
