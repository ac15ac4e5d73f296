package page_test

import (
	"errors"
	"net/url"
	"regexp"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/platform/page"
)

func query(t testing.TB, raw string) url.Values {
	t.Helper()
	q, err := url.ParseQuery(raw)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func bounds() page.Bounds {
	return page.Bounds{PageName: "page", SizeName: "per_page", DefaultSize: 20, MaxSize: 100, MaxPage: 1000}
}

func TestReadNumbers(t *testing.T) {
	t.Parallel()
	strict := page.Bounds{PageName: "page", SizeName: "per_page", DefaultSize: 20, MaxSize: 100, MaxPage: 100}
	other := strict
	other.PageName, other.SizeName = "p", "n"
	for _, c := range []struct {
		name  string
		b     page.Bounds
		query string
		want  page.Numbers
		bad   string // name of the refused parameter
	}{
		{"defaults", strict, "", page.Numbers{Page: 1, Size: 20}, ""},
		{"both", strict, "page=3&per_page=50", page.Numbers{Page: 3, Size: 50}, ""},
		{"lowest", strict, "page=1&per_page=1", page.Numbers{Page: 1, Size: 1}, ""},
		{"highest", strict, "page=100&per_page=100", page.Numbers{Page: 100, Size: 100}, ""},
		{"empty means missing", strict, "page=&per_page=", page.Numbers{Page: 1, Size: 20}, ""},
		{"leading zeros", strict, "page=007", page.Numbers{Page: 7, Size: 20}, ""},
		{"page zero", strict, "page=0", page.Numbers{}, "page"},
		{"page above", strict, "page=101", page.Numbers{}, "page"},
		{"size zero", strict, "per_page=0", page.Numbers{}, "per_page"},
		{"size above", strict, "per_page=101", page.Numbers{}, "per_page"},
		{"negative", strict, "page=-1", page.Numbers{}, "page"},
		{"plus", strict, "page=%2B5", page.Numbers{}, "page"},
		{"space", strict, "page=5+", page.Numbers{}, "page"},
		{"fraction", strict, "page=1.0", page.Numbers{}, "page"},
		{"word", strict, "per_page=all", page.Numbers{}, "per_page"},
		{"hex", strict, "page=0x10", page.Numbers{}, "page"},
		{"underscore", strict, "page=1_0", page.Numbers{}, "page"},
		{"beyond 64 bits", strict, "page=99999999999999999999", page.Numbers{}, "page"},
		{"other names", other, "p=2&n=3&page=9", page.Numbers{Page: 2, Size: 3}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := c.b.ReadNumbers(query(t, c.query))
			var param *page.ParamError
			if (c.bad != "") != errors.As(err, &param) || (param != nil && param.Name != c.bad) {
				t.Fatalf("got %v, want a refusal of %q", err, c.bad)
			}
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestParamErrorNamesTheBounds(t *testing.T) {
	t.Parallel()
	_, err := page.Bounds{SizeName: "per_page", MaxSize: 50, MaxPage: 1}.ReadNumbers(url.Values{"per_page": {"51"}})
	if want := "per_page must be an integer from 1 to 50"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestLink(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, url string
		n         page.Numbers
		total     int64
		want      string
	}{
		{
			"middle", "https://x.test/items?query=a+b&page=2&per_page=10",
			page.Numbers{Page: 2, Size: 10},
			35,
			`<https://x.test/items?query=a+b&page=1&per_page=10>; rel="first", <https://x.test/items?query=a+b&page=1&per_page=10>; rel="prev", ` +
				`<https://x.test/items?query=a+b&page=3&per_page=10>; rel="next", <https://x.test/items?query=a+b&page=4&per_page=10>; rel="last"`,
		},
		{"first of one", "/items", page.Numbers{Page: 1, Size: 20}, 5, `</items?page=1&per_page=20>; rel="first", </items?page=1&per_page=20>; rel="last"`},
		{"empty", "/items", page.Numbers{Page: 1, Size: 20}, 0, `</items?page=1&per_page=20>; rel="first", </items?page=1&per_page=20>; rel="last"`},
		{
			"last, full", "/i?z=1&a=2&a=3",
			page.Numbers{Page: 2, Size: 5},
			10,
			`</i?z=1&a=2&a=3&page=1&per_page=5>; rel="first", </i?z=1&a=2&a=3&page=1&per_page=5>; rel="prev", </i?z=1&a=2&a=3&page=2&per_page=5>; rel="last"`,
		},
		{
			"beyond the end", "/i",
			page.Numbers{Page: 9, Size: 5},
			10,
			`</i?page=1&per_page=5>; rel="first", </i?page=2&per_page=5>; rel="prev", </i?page=2&per_page=5>; rel="last"`,
		},
		{
			"encoded name of a paging parameter", "/i?%70age=7&x",
			page.Numbers{Page: 1, Size: 5},
			1,
			`</i?x&page=1&per_page=5>; rel="first", </i?x&page=1&per_page=5>; rel="last"`,
		},
		{
			"nothing breaks out", `/i?x=%3E"><b>&y=%0d`,
			page.Numbers{Page: 1, Size: 5},
			1,
			`</i?x=%3E%22%3E%3Cb%3E&y=%0d&page=1&per_page=5>; rel="first", </i?x=%3E%22%3E%3Cb%3E&y=%0d&page=1&per_page=5>; rel="last"`,
		},
		{"no user, no fragment", "http://u:p@x/i#f", page.Numbers{Page: 1, Size: 5}, 1, `<http://x/i?page=1&per_page=5>; rel="first", <http://x/i?page=1&per_page=5>; rel="last"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			u, err := url.Parse(c.url)
			if err != nil {
				t.Fatal(err)
			}
			if got := bounds().Link(u, c.n, c.total); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

// Following "next" from the first page visits every row once.
func TestFollowingLinksVisitsEveryRow(t *testing.T) {
	t.Parallel()
	next := regexp.MustCompile(`<([^>]*)>; rel="next"`)
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.Int64Range(0, 300).Draw(t, "total")
		size := rapid.IntRange(1, 50).Draw(t, "size")
		u := &url.URL{Path: "/rows", RawQuery: "f=1&per_page=" + strconv.Itoa(size)}
		seen := int64(0)
		for range 400 {
			n, err := bounds().ReadNumbers(u.Query())
			if err != nil {
				t.Fatal(err)
			}
			if n.Offset() != seen {
				t.Fatalf("offset: got %d, want %d", n.Offset(), seen)
			}
			seen += min(int64(n.Size), total-n.Offset())
			m := next.FindStringSubmatch(bounds().Link(u, n, total))
			if m == nil {
				break
			}
			if u, err = url.Parse(m[1]); err != nil || u.Query().Get("f") != "1" {
				t.Fatalf("next: %v, %v", u, err)
			}
		}
		if seen != total {
			t.Fatalf("rows seen: got %d, want %d", seen, total)
		}
	})
}
