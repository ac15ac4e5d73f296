package web

import (
	"net/http"
	"net/url"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/route"
)

// Prefix is where the pages are.
const Prefix = "/articles"

const (
	pageSize = 20
	maxPage  = 100
)

// Routes are the pages. They are not part of the contract but what the addresses in
// its answers lead to.
func (p *Pages) Routes() []route.Route {
	row := func(pattern, name string, render renderFunc) route.Route {
		return route.Route{Method: "GET", Pattern: pattern, Name: "pages." + name, Handle: p.handle(render)}
	}
	return []route.Route{
		row("/{$}", "root", p.home),
		row(Prefix, "home", p.home),
		row(Prefix+"/{$}", "home", p.home),
		row(Prefix+"/tags/{tag}", "tag", p.tag),
		row(Prefix+"/{user}", "user", p.user),
		row(Prefix+"/{user}/items/{item_id}", "item", p.item),
		row(Prefix+"/{user}/private/{item_id}", "privateItem", p.item),
	}
}

// renderFunc renders a page for a reader who was admitted.
type renderFunc func(r *route.Request, s Source) (identity.Page, error)

func (p *Pages) handle(render renderFunc) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		show, err := p.show(func(r *route.Request, u *identity.User) (identity.Page, error) {
			source, release, err := p.open(r, u)
			if err != nil {
				return identity.Page{}, err
			}
			defer release()
			return render(r, source)
		})
		if err != nil {
			return err
		}
		return show(w, r)
	}
}

// numbers is the page of a list that the address names.
func numbers(r *route.Request) (page.Numbers, error) {
	b := page.Bounds{PageName: "page", SizeName: "per_page", DefaultSize: pageSize, MaxPage: maxPage}
	return b.ReadNumbers(url.Values{"page": r.Query()["page"]})
}

// home lists the newest articles, or what a search finds.
func (p *Pages) home(r *route.Request, s Source) (identity.Page, error) {
	n, err := numbers(r)
	if err != nil {
		return identity.Page{}, err
	}
	query := strings.TrimSpace(r.Query().Get("query"))
	list, err := s.Search(r.Context(), query, n)
	if err != nil {
		return identity.Page{}, err
	}
	here := url.URL{Path: Prefix, RawQuery: r.URL.RawQuery}
	v := view{Site: s.Site(), Heading: s.Site().Title, Query: query}
	v.setList(list, here, n)
	if query == "" {
		return p.render("home", v.Heading, v.Site.Public, v)
	}
	v.Empty = "Nothing was found. Try fewer words, or a tag."
	return p.render("home", query, false, v)
}

func (p *Pages) tag(r *route.Request, s Source) (identity.Page, error) {
	n, err := numbers(r)
	if err != nil {
		return identity.Page{}, err
	}
	tag, followers, list, err := s.Tag(r.Context(), r.PathValue("tag"), n)
	if err != nil {
		return identity.Page{}, err
	}
	v := view{Site: s.Site(), Heading: tag, Crumb: plural(followers, "follower", "followers")}
	v.setList(list, *r.URL, n)
	return p.render("list", tag, v.Site.Public, v)
}

func (p *Pages) user(r *route.Request, s Source) (identity.Page, error) {
	n, err := numbers(r)
	if err != nil {
		return identity.Page{}, err
	}
	user, followers, list, err := s.User(r.Context(), r.PathValue("user"), n)
	if err != nil {
		return identity.Page{}, err
	}
	v := view{Site: s.Site(), Heading: user.Label()}
	v.Crumb = "@" + user.Name + " · " + plural(followers, "follower", "followers")
	v.setList(list, *r.URL, n)
	return p.render("list", v.Heading, v.Site.Public, v)
}

func (p *Pages) item(r *route.Request, s Source) (identity.Page, error) {
	private := strings.Contains(r.URL.Path, "/private/")
	item, comments, err := s.Item(r.Context(), r.PathValue("user"), r.PathValue("item_id"), private)
	if err != nil {
		return identity.Page{}, err
	}
	v := view{Site: s.Site(), Item: item, Comments: comments}
	return p.render("item", item.Title, v.Site.Public && !item.Private, v)
}
