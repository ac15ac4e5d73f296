package conduct

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Pages says how a service hands out the pages of a list.
type Pages struct {
	Operations []string
	// Param is the parameter that takes a page's token, Member where the answer has the
	// next one, Size the parameter for the length of a page.
	Param, Member, Size string
}

// list is a list as one client reads it.
type list struct {
	first Past
	next  string          // token of the page that is not read yet
	sized bool            // the client chose the length of pages
	read  map[string]Past // pages that it has, by token
}

// maxPages is how many pages of one list are remembered.
const maxPages = 1000

// key is the list: the client, the path and the query but for pages.
func (p Pages) key(r *Request) string {
	q, err := url.ParseQuery(r.Raw().Query())
	if err != nil {
		return ""
	}
	q.Del(p.Param)
	return r.Who() + "\x00" + r.Raw().Target() + "\x00" + q.Encode()
}

// Left is a check that a client which takes pages as they come reads all of them.
func (p Pages) Left() func(*Breaches) Check {
	return p.check(nil, func(b *Breaches, open []list) {
		for _, l := range open {
			if l.next != "" && !l.sized {
				b.Add("the answer announced more pages, and no later one was asked for", l.first)
			}
		}
	})
}

// Twice is a check that a client does not ask for a page again that it has.
func (p Pages) Twice() func(*Breaches) Check {
	return p.check(func(b *Breaches, r *Request, before Past) {
		b.Add(fmt.Sprintf("%s asked again for a page that it had", r.Line()), before, r.Past())
	}, nil)
}

func (p Pages) check(
	again func(*Breaches, *Request, Past), left func(*Breaches, []list),
) func(*Breaches) Check {
	meant := set(p.Operations)
	return func(b *Breaches) Check {
		var lists Memory[string, list]
		c := Each(func(r *Request) {
			if !meant[r.Operation] || !r.OK() || r.ResponseCut || r.Lost() {
				return
			}
			k := p.key(r)
			l, _ := lists.Get(k)
			token := r.Param(p.Param)
			if token == "" {
				l = list{first: r.Past(), read: map[string]Past{}}
			}
			l.sized = r.Param(p.Size) != "" // also of a list whose first page is not known any more
			if before, ok := l.read[token]; ok && token != "" && r.Follows(before) && again != nil {
				again(b, r, before)
			}
			if len(l.read) < maxPages && l.read != nil {
				l.read[token] = r.Past()
			}
			l.next = ""
			if strings.Contains(r.Raw().AnswerBody(), strings.TrimPrefix(p.Member, "/")) {
				l.next = r.AnswerText(p.Member)
			}
			lists.Put(k, l)
		})
		if left != nil {
			c.End = func() { left(b, sorted(&lists)) }
		}
		return c
	}
}

// sorted are the lists by their first request.
func sorted(lists *Memory[string, list]) (open []list) {
	lists.Each(func(_ string, l list) { open = append(open, l) })
	slices.SortFunc(open, func(a, b list) int { return cmp.Compare(a.first.number, b.first.number) })
	return open
}

// Beyond is a check that clients follow Link instead of counting: it speaks when a
// page is asked for after the last, and there is nothing on it.
func Beyond(operations ...string) func(*Breaches) Check {
	type end struct {
		page int
		last Past
	}
	meant := set(operations)
	return func(b *Breaches) Check {
		var ends Memory[string, end] // pages without a next one
		return Each(func(r *Request) {
			if r.Method != "GET" || !meant[r.Operation] {
				return
			}
			k := Pages{Param: "page"}.key(r)
			page, err := strconv.Atoi(cmp.Or(r.Param("page"), "1"))
			if err != nil {
				return
			}
			if e, ok := ends.Get(k); ok && page > e.page && r.Follows(e.last) && nothing(r) {
				b.Add(fmt.Sprintf("%s asked for page %d although page %d had no next one", r.Line(), page, e.page),
					e.last, r.Past())
				return
			}
			ends.Delete(k)
			if r.OK() && !strings.Contains(r.Answer("Link"), `rel="next"`) {
				ends.Put(k, end{page, r.Past()})
			}
		})
	}
}

// nothing reports whether a page was refused, or is empty.
func nothing(r *Request) bool {
	return r.Status == 404 || r.Status == 422 || r.OK() && strings.TrimSpace(r.Raw().AnswerBody()) == "[]"
}
