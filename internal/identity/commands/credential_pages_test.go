package commands_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestCredentialPages: pages of the tokens of all users hold each token once, the newest
// first, and a token of a later page is shown by its id.
func TestCredentialPages(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *fixture) {
		run := func(path string, values map[string][]string) map[string]any {
			t.Helper()
			out, err := h.run(path, values)
			must(t, err)
			return out
		}
		for _, name := range []string{"ada", "grace"} {
			run("user add", map[string][]string{"name": {name}})
			for n := range 3 {
				run("token issue", map[string][]string{
					"user": {name}, "service": {"labels"}, "name": {fmt.Sprint(name, n)},
				})
			}
		}
		run("key issue", map[string][]string{"user": {"ada"}, "service": {"apikeys"}})
		var seen, pages []string
		for after := ""; ; {
			values := map[string][]string{"limit": {"4"}}
			if after != "" {
				values["after"] = []string{after}
			}
			list := run("token list", values)["tokens"].([]any)
			pages = append(pages, fmt.Sprint(len(list)))
			for _, item := range list {
				token := item.(map[string]any)
				seen = append(seen, token["name"].(string))
				after = fmt.Sprint(token["id"])
			}
			if len(list) < 4 {
				break
			}
		}
		if got := strings.Join(seen, " "); got != "grace2 grace1 grace0 ada2 ada1 ada0" || strings.Join(pages, " ") != "4 2" {
			t.Errorf("pages of %v with %s", pages, got)
		}
		of := run("token list", map[string][]string{"user": {"grace"}, "limit": {"2"}})["tokens"].([]any)
		last := of[1].(map[string]any)
		if len(of) != 2 || last["name"] != "grace1" {
			t.Errorf("two of grace: %v", of)
		}
		shown := run("token show", map[string][]string{"id": {fmt.Sprint(last["id"])}})
		if shown["name"] != "grace1" || shown["user"] != "grace" {
			t.Errorf("shown %v", shown)
		}
		if _, err := h.run("key show", map[string][]string{"id": {fmt.Sprint(last["id"])}}); err == nil {
			t.Error("a token is shown as a key")
		}
		if keys := run("key list", map[string][]string{"limit": {"9"}})["keys"].([]any); len(keys) != 1 {
			t.Errorf("keys %v", keys)
		}
		if _, err := h.run("token list", map[string][]string{"after": {"x"}}); err == nil {
			t.Error("an id that is none is taken")
		}
	})
}
