package events_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/events"
)

// barePages show pages without a frame to the user that viewer points at.
func barePages(viewer **identity.User) identity.Pages {
	return identity.Pages{
		Page: func(p identity.PageFunc) route.Handler {
			return func(w http.ResponseWriter, r *route.Request) error {
				page, err := p(r, *viewer)
				if err == nil {
					_, err = w.Write([]byte(page.HTML))
				}
				return err
			}
		},
		Message: func(m identity.Message) route.Handler {
			return func(w http.ResponseWriter, _ *route.Request) error {
				w.WriteHeader(m.Status)
				return nil
			}
		},
	}
}

var pageLink = regexp.MustCompile(`"html_url":"http://stoa.test(/[^"]*)"`)

// TestPages follows every html_url of the answers, and every link of the pages behind them.
func TestPages(t *testing.T) {
	run(t, events.DefaultConfig(), func(t *testing.T, h *testServer) {
		ada := "Authorization: Bearer " + h.Token("ada")
		repo, err := h.forge.Create(t.Context(), forge.NewRepository{
			Owner: "ada", Name: "stoa", Private: true, Actor: h.actor("ada"),
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"one", "two"} {
			if _, err := h.forge.CommitFiles(t.Context(), repo, forge.NewCommit{
				Actor: h.actor("ada"), Email: "ada@example.com", Message: text,
				Files: map[string]string{"README.md": text + " <script>", "folder/a b.txt": text},
			}); err != nil {
				t.Fatal(err)
			}
		}
		h.Call("POST", "/repos/ada/stoa/issues", `{"title":"<script>alert(1)</script>","body":"b"}`, ada,
			"Content-Type: application/json")
		owner := h.User("ada")
		viewer := &owner
		h.Identity.ProvidePages(barePages(&viewer))
		get := func(path string) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			if !h.Module.Unowned(w, httptest.NewRequest("GET", "http://stoa.test"+path, nil)) {
				w.WriteHeader(http.StatusNotFound)
			}
			return w
		}
		// Git is led on from the address of the page, also to what is not there.
		for _, name := range []string{"stoa", "none"} {
			w := get("/ada/" + name + ".git/info/refs?service=git-upload-pack")
			if want := "/git/ada/" + name + ".git/info/refs?service=git-upload-pack"; w.Header().Get("Location") != want {
				t.Errorf("git is led to %q, want %q", w.Header().Get("Location"), want)
			}
		}
		if w := get("/ada/stoa/info/refs"); w.Code != http.StatusNotFound {
			t.Errorf("a page that is none: %d", w.Code)
		}
		found := map[string]bool{"/ada": true}
		for _, path := range []string{
			"/user", "/repos/ada/stoa", "/repos/ada/stoa/compare/main...main",
			"/repos/ada/stoa/commits", "/repos/ada/stoa/contents", "/repos/ada/stoa/issues",
		} {
			for _, link := range pageLink.FindAllStringSubmatch(h.Call("GET", path, "", ada).Body.String(), -1) {
				var text string
				if err := json.Unmarshal([]byte(`"`+link[1]+`"`), &text); err != nil {
					t.Fatal(err)
				}
				found[text] = true
			}
		}
		if len(found) < 5 {
			t.Errorf("only %d pages are linked: %v", len(found), found)
		}
		inside := regexp.MustCompile(`href="(/ada[^"]*)"`)
		for path := range found {
			path, _, _ = strings.Cut(path, "#")
			w := get(path)
			if w.Code != 200 || strings.Contains(w.Body.String(), "<script>") {
				t.Errorf("%s: %d %.300s", path, w.Code, w.Body)
			}
			for _, link := range inside.FindAllStringSubmatch(w.Body.String(), -1) {
				if w := get(link[1]); w.Code != 200 {
					t.Errorf("%s, linked on %s: %d", link[1], path, w.Code)
				}
			}
		}
		other := h.User("grace")
		for _, user := range []*identity.User{&other, nil} {
			viewer = user
			for path := range found {
				if path == "/ada" {
					if w := get(path); w.Code != 200 || strings.Contains(w.Body.String(), "stoa") {
						t.Errorf("the owner's page for another user: %d %s", w.Code, w.Body)
					}
				} else if w := get(path); w.Code != 404 {
					t.Errorf("%s of a private repository for another user: %d", path, w.Code)
				}
			}
		}
		if w := get("/nowhere/at/all"); w.Code != 404 {
			t.Errorf("an unknown owner: %d", w.Code)
		}
	})
}
