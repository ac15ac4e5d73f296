package articles_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/identity/identitytest"
)

// hostileTexts break programs that did not expect them.
func hostileTexts() []string {
	return []string{
		"undefined", "null", "NULL", "(null)", "nil", "true", "None", "\\", "\\\\", "0", "-1", "1/0", "NaN",
		"Infinity", "0x0", "１２３", "٠١٢",
		"!@#$%^&*()`~", "<>?:\"{}|_+", ",./;'[]\\-=", "Ω≈ç√∫˜µ≤≥÷", "åß∂ƒ©˙∆˚¬…æ", "¡™£¢∞§¶•ªº–≠", "ЁЂЃЄЅІЇ", "⁰⁴⁵",
		"ด้้้้้็็็็็้้้้้", "\u200b\u200c\u200d", "\ufeff", "\u202eright to left",
		"田中さんにあげて下さい", "パーティーへ行かないか", "和製漢語", "사회과학원 어학연구소", "𠜎𠜱𠝹𠱓", "Ⱥ", "Ⱦ", "ヽ༼ຈل͜ຈ༽ﾉ", "(｡◕ ∀ ◕｡)", "👾 🙇 💁",
		"👨‍👩‍👧‍👦", "🇺🇸🇷🇺", "﷽", "הָיְתָה", "مُنَاقَشَةُ", "Ṱ̺̺̕o͞ ̷i̲̬͇̪͙n̝̗͕v̟̜̘̦͟o̶̙̰̠kè", "ﬃ ﬆ", "İı", "ß ẞ SS",
		"'; DROP TABLE users; --", "1' OR '1'='1", "%s%s%s%n", "%00", "../../../etc/passwd", "$(touch /tmp/x)",
		"`id`", "{{7*7}}", "${7*7}", "#{7*7}", "<?php ?>", "<%= 1 %>", "COM1", "LPT1", "aux",
		"\x7f", "\u0085", "\u2028\u2029", "\t\t", "a\r\nb", "\x1b[31mred", strings.Repeat("a", 1000),
		strings.Repeat("あ", 300),
	}
}

// TestHostileTexts round-trip or are refused with 400, and are found again.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build, func(t *testing.T, h *identitytest.Server) {
		ada := client{h, t, h.Token("ada")}
		id := ada.post("T", "b", "Go")
		for _, text := range hostileTexts() {
			body, err := json.Marshal(map[string]any{"body": text + " end", "title": "T " + text[:min(len(text), 60)]})
			if err != nil {
				t.Fatal(err)
			}
			w := h.Call("PATCH", "https://localhost/api/v2/items/"+id, string(body), "Authorization: Bearer "+ada.token)
			if w.Code != 200 && w.Code != 400 {
				t.Errorf("%q: %d %s", text, w.Code, w.Body)
			}
			if w.Code != 200 {
				continue
			}
			var sent map[string]any
			if err := json.Unmarshal(body, &sent); err != nil {
				t.Fatal(err)
			}
			if got := ada.call("GET", "items/"+id, "", 200); got["body"] != sent["body"].(string)+"\n" ||
				got["title"] != sent["title"] {
				t.Errorf("%q comes back as %q and %q", text, got["body"], got["title"])
			}
			w = h.Call("GET", "https://localhost/api/v2/items?query="+url.QueryEscape(text), "",
				"Authorization: Bearer "+ada.token)
			if w.Code != 200 && w.Code != 400 {
				t.Errorf("looking for %q: %d %s", text, w.Code, w.Body)
			}
			for _, path := range []string{"items/", "tags/", "users/", "comments/"} {
				w := h.Call("GET", "https://localhost/api/v2/"+path+url.PathEscape(text), "",
					"Authorization: Bearer "+ada.token)
				if w.Code != 404 && w.Code != 400 {
					t.Errorf("GET %s%q: %d %s", path, text, w.Code, w.Body)
				}
			}
		}
	})
}

// TestLargeBodies: a megabyte is the bound of a request, and what fits is kept.
func TestLargeBodies(t *testing.T) {
	t.Parallel()
	h := identitytest.Open(t, build, "")
	ada := client{h, t, h.Token("ada")}
	for name, row := range map[string]struct {
		text string
		want int
	}{
		"plain, almost a megabyte": {strings.Repeat("word ", (1<<20-500)/5), 201},
		"more than a megabyte":     {strings.Repeat("word ", (1<<20)/5+1), 400},
		"one long line":            {strings.Repeat("a", 1<<18), 201},
		"many headings":            {strings.Repeat("# a\n\n", (1<<20-500)/50), 201},
		"many code blocks":         {strings.Repeat("```go\nx\n```\n", 1_000), 201},
		"many links": {strings.Repeat("[a](https://a.example) ", 1500) +
			strings.Repeat("\n\nx", 1000), 201},
		"many mentions":              {strings.Repeat("@ada @grace ", 2_000), 201},
		"characters without blanks":  {strings.Repeat("東京都", 20_000), 201},
		"many different long words":  {manyWords(20_000), 201},
		"a table of thousands":       {"|a|b|\n|-|-|\n" + strings.Repeat("|1|2|\n", 5_000), 201},
		"notes within notes":         {strings.Repeat(":::note\n", 90) + "x", 201},
		"thousands of notes, nested": {strings.Repeat(":::note\n", 5_000), 201},
	} {
		t.Run(name, func(t *testing.T) {
			body, err := json.Marshal(map[string]any{"title": "T", "body": row.text,
				"tags": []any{map[string]any{"name": "x"}}})
			if err != nil {
				t.Fatal(err)
			}
			w := h.Call("POST", "https://localhost/api/v2/items", string(body), "Authorization: Bearer "+ada.token)
			if w.Code != row.want {
				t.Fatalf("%d %.200s, want %d", w.Code, w.Body, row.want)
			}
			if row.want != 201 {
				return
			}
			var made struct{ ID, Body string }
			if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil ||
				strings.TrimSuffix(made.Body, "\n") != strings.TrimSuffix(row.text, "\n") {
				t.Errorf("the text changed: %v", err)
			}
			ada.call("GET", "items/"+made.ID, "", 200)
		})
	}
}

func manyWords(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "w%dlonglonglonglong ", i)
	}
	return b.String()
}

// largestWrite remembers the longest text that was written at once.
type largestWrite struct {
	*httptest.ResponseRecorder
	bytes int
}

func (h *largestWrite) Write(b []byte) (int, error) {
	h.bytes = max(h.bytes, len(b))
	return h.ResponseRecorder.Write(b)
}

// TestLongLists are sent some items at a time, so that a page of long ones does
// not fill the memory.
func TestLongLists(t *testing.T) {
	t.Parallel()
	h := identitytest.Open(t, build, "")
	ada := client{h, t, h.Token("ada")}
	// Ten are read at once and have ten megabytes: two thirds of the whole.
	const items, size = 15, 1 << 19
	for n := range items {
		ada.post(fmt.Sprint(n), strings.Repeat("a", size), "x")
	}
	for _, query := range []string{"", "&query=tag:x"} {
		r := httptest.NewRequest("GET", "https://localhost/api/v2/items?per_page=100"+query, nil)
		w := &largestWrite{ResponseRecorder: httptest.NewRecorder()}
		h.Module.Handler.ServeHTTP(w, r)
		var list []struct{ Title, Body string }
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || w.Code != 200 || len(list) != items {
			t.Fatalf("%d, %d items, %v, want %d", w.Code, len(list), err, items)
		}
		for n, i := range list {
			if i.Title != fmt.Sprint(items-1-n) || len(i.Body) != size+1 {
				t.Errorf("item %d is %s with %d bytes", n, i.Title, len(i.Body))
			}
		}
		if whole := w.Body.Len(); w.bytes >= whole*3/4 {
			t.Errorf("%d of %d bytes were written at once, want parts", w.bytes, whole)
		}
	}
}
