package markdown

import (
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// payloads are known ways to smuggle a script, one per block.
func payloads(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/xss.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n%\n")
}

// unsafe names what a browser could run in a piece of HTML.
func unsafe(text string) (found []string) {
	nodes, err := html.ParseFragment(strings.NewReader(text),
		&html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil {
		return []string{err.Error()}
	}
	allowed := strings.Fields(`a abbr acronym address article aside b bdi bdo big blockquote br caption cite code col colgroup dd del details dfn div dl dt em
		figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i img input ins kbd li mark meter ol p pre progress q rp rt ruby s samp section small span
		strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr map area`)
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode {
			if !slices.Contains(allowed, n.Data) {
				found = append(found, "<"+n.Data+">")
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "srcdoc" || a.Key == "srcset" ||
					a.Namespace != "" {
					found = append(found, a.Key)
				}
				if scheme, _, ok := strings.Cut(strings.TrimSpace(strings.ToLower(a.Val)), ":"); ok &&
					slices.Contains([]string{"href", "src", "cite", "action", "data", "background", "usemap"}, a.Key) &&
					!slices.Contains([]string{"http", "https", "mailto"}, scheme) &&
					!strings.ContainsAny(scheme, "/?#") {
					found = append(found, a.Key+"="+a.Val)
				}
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	for _, n := range nodes {
		walk(n)
	}
	return found
}

// TestNothingUnsafe renders the corpus, alone and in the company of marks that
// could change how it is read.
func TestNothingUnsafe(t *testing.T) {
	t.Parallel()
	m := newRenderer(nil)
	list := payloads(t)
	if len(list) < 150 {
		t.Fatalf("%d payloads, want 150 at least", len(list))
	}
	for _, p := range list {
		for _, text := range []string{p, "> " + p, "x **" + p + "** y", ":::note\n" + p + "\n:::", "[" + p + "](x)",
			"| " + p + " |\n|-|", "<p>" + p} {
			got, err := render(m, text)
			if err != nil {
				t.Fatal(err)
			}
			if bad := unsafe(got); len(bad) > 0 {
				t.Errorf("%q leaves %q in %q", text, bad, got)
			}
		}
	}
	if len(unsafe(`<a href="javascript:x" onclick=y>z</a><svg></svg>`)) != 3 {
		t.Error("the check finds nothing")
	}
}

func FuzzRender(f *testing.F) {
	var some []string // mutations of all would take half a minute
	for i, p := range payloads(f) {
		if i%24 == 0 {
			some = append(some, p)
		}
		f.Add(p)
	}
	fuzztest.Strings(f, some...)
	m := newRenderer(nil)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4<<10 {
			t.Skip()
		}
		got, err := render(m, text)
		if err != nil {
			t.Fatal(err)
		}
		if bad := unsafe(got); len(bad) > 0 {
			t.Errorf("%q leaves %q in %q", text, bad, got)
		}
		if again, _ := render(m, text); again != got {
			t.Errorf("%q gives %q, then %q", text, got, again)
		}
	})
}
