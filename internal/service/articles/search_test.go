package articles_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/articles"
)

func build(w *world.World, identity *identity.Identity) module.Module {
	c := articles.DefaultConfig()
	c.UserPerHour, c.AnonymousPerHour = 1_000_000, 1_000_000
	return articles.New(w, identity, grants.New(w, identity), c).Module()
}

// client calls the public site as one user.
type client struct {
	*identitytest.Server
	t     *testing.T
	token string
}

func (s client) call(method, path, body string, want int) map[string]any {
	s.t.Helper()
	w := s.Call(method, "https://localhost/api/v2/"+path, body, "Authorization: Bearer "+s.token)
	if w.Code != want {
		s.t.Fatalf("%s %s: %d %s, want %d", method, path, w.Code, w.Body, want)
	}
	var out map[string]any
	if w.Body.Len() > 0 && w.Body.Bytes()[0] == '{' {
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
			s.t.Fatal(err)
		}
	}
	return out
}

func (s client) post(title, body string, tags ...string) string {
	s.t.Helper()
	var list []map[string]any
	for _, t := range tags {
		list = append(list, map[string]any{"name": t})
	}
	text, err := json.Marshal(map[string]any{"title": title, "body": body, "tags": list})
	if err != nil {
		s.t.Fatal(err)
	}
	return fmt.Sprint(s.call("POST", "items", string(text), 201)["id"])
}

// find returns the titles that a query finds and the total.
func (s client) find(query string) ([]string, string) {
	s.t.Helper()
	w := s.Call("GET", "https://localhost/api/v2/items?query="+url.QueryEscape(query), "",
		"Authorization: Bearer "+s.token)
	var list []struct{ Title string }
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || w.Code != 200 {
		s.t.Fatalf("%s: %d %s", query, w.Code, w.Body)
	}
	titles := []string{}
	for _, i := range list {
		titles = append(titles, i.Title)
	}
	return titles, w.Header().Get("Total-Count")
}

// TestSearch is the query language, on both engines.
func TestSearch(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build, func(t *testing.T, h *identitytest.Server) {
		ada, grace := client{h, t, h.Token("ada")}, client{h, t, h.Token("grace")}
		ada.post("Go入門", "東京都でGo言語を学ぶ。\n\n```go\nfunc goroutine() {}\n```\n", "Go", "日本語")
		h.Clock.Advance(400 * 24 * time.Hour)
		rust := ada.post("Rust and C++", "Ownership is a compile time idea. Naïve café.", "Rust", "C++")
		thai := grace.post("ภาษาไทย", "การเขียนโปรแกรมภาษาไทย", "thai")
		grace.post("Half width", "ｱﾌﾟﾘ と Ｇｏ", "kana")
		ada.call("PUT", "items/"+rust+"/stock", "", 204)
		grace.call("PUT", "items/"+rust+"/stock", "", 204)
		grace.call("PUT", "items/"+thai+"/like", "", 204)
		year := h.Clock.Now().Format("2006")
		const goItem, rustItem, thaiItem, kana = "Go入門", "Rust and C++", "ภาษาไทย", "Half width"
		for query, want := range map[string][]string{
			"":                                  {kana, thaiItem, rustItem, goItem},
			"go":                                {kana, goItem},
			"GO":                                {kana, goItem},
			"言語":                                {goItem},
			"Go言語":                              {goItem},
			"京都":                                {goItem},
			"都":                                 {goItem},
			"東都":                                {},
			"都京":                                {},
			"アプリ":                               {kana},
			"プリ":                                {kana},
			"โปรแกรม":                           {thaiItem},
			"c++":                               {rustItem},
			"tag:c++":                           {rustItem},
			"tag:rust":                          {rustItem},
			"-tag:rust":                         {kana, thaiItem, goItem},
			"user:grace":                        {kana, thaiItem},
			"-user:grace":                       {rustItem, goItem},
			"user:unknown":                      {},
			"-user:unknown":                     {kana, thaiItem, rustItem, goItem},
			"compile time":                      {rustItem},
			"time compile":                      {rustItem},
			`"compile time"`:                    {rustItem},
			`"time compile"`:                    {},
			`-"compile time"`:                   {kana, thaiItem, goItem},
			`title:"rust and"`:                  {rustItem},
			"title:ownership":                   {},
			"body:ownership":                    {rustItem},
			"body:rust":                         {},
			"code:goroutine":                    {goItem},
			"body:goroutine":                    {goItem},
			"code:ownership":                    {},
			"café":                              {rustItem},
			"CAFÉ":                              {rustItem},
			"cafe":                              {},
			"ownership OR 言語":                   {rustItem, goItem},
			"ownership or tag:thai":             {thaiItem, rustItem},
			"created:" + year:                   {kana, thaiItem, rustItem},
			"created:<" + year:                  {goItem},
			"-created:" + year:                  {goItem},
			"created:<" + year + " OR tag:thai": {thaiItem, goItem},
			"go created:<" + year:               {goItem},
			"created:nonsense":                  {},
			"created:<=9999":                    {kana, thaiItem, rustItem, goItem},
			"created:<=9999-12-31":              {kana, thaiItem, rustItem, goItem},
			"created:>9999":                     {},
			"created:>=0000":                    {kana, thaiItem, rustItem, goItem},
			"stocks:>1":                         {rustItem},
			"stocks:2":                          {rustItem},
			"stocks:<=1":                        {kana, thaiItem, goItem},
			"-stocks:>1":                        {kana, thaiItem, goItem},
			"likes:>=1":                         {thaiItem},
			"stocks:x":                          {},
			"sort:stocks":                       {rustItem, kana, thaiItem, goItem},
			"sort:created-asc go":               {goItem, kana},
			"sort:nonsense":                     {kana, thaiItem, rustItem, goItem},
			"is:slide":                          {},
			"org:unknown":                       {},
			"unknown:go":                        {},
			"!!!":                               {},
			"go !!!":                            {},
			`"`:                                 {},
			`'; DROP TABLE x; --`:               {},
			"-":                                 {},
			"OR":                                {kana, thaiItem, rustItem, goItem},
			"NEAR(go) * ^ : {title}":            {},
		} {
			got, total := ada.find(query)
			if !slices.Equal(got, want) || total != fmt.Sprint(len(want)) {
				t.Errorf("%q finds %q of %s, want %q", query, got, total, want)
			}
		}
		changed := `{"title":"Zig","body":"comptime","tags":[{"name":"Zig"}]}`
		ada.call("PATCH", "items/"+rust, changed, 200)
		for query, want := range map[string]int{"ownership": 0, "tag:rust": 0, "comptime": 1, "tag:zig": 1,
			"title:zig": 1} {
			if got, _ := ada.find(query); len(got) != want {
				t.Errorf("after a change %q finds %q, want %d", query, got, want)
			}
		}
		ada.call("DELETE", "items/"+rust, "", 204)
		if got, _ := ada.find("comptime"); len(got) != 0 {
			t.Errorf("after deletion: %q", got)
		}
		hidden := ada.call("POST", "items",
			`{"title":"Secret","body":"whisper","private":true,"tags":[{"name":"x"}]}`, 201)
		if got, _ := ada.find("whisper"); len(got) != 0 {
			t.Errorf("a private item is found: %q", got)
		}
		ada.call("PATCH", "items/"+fmt.Sprint(hidden["id"]), `{"private":false}`, 200)
		if got, _ := ada.find("whisper"); len(got) != 1 {
			t.Errorf("what became public is not found: %q", got)
		}
		for _, wrong := range []string{strings.Repeat("x", 1001), strings.Repeat("x ", 31)} {
			ada.call("GET", "items?query="+url.QueryEscape(wrong), "", 400)
		}
	})
}
