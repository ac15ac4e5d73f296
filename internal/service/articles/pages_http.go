package articles

import (
	"net/http"
	"net/url"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
)

// pagesRoutes are what people read in a browser. They are no part of the
// contract but what its addresses lead to.
func (s *Service) pagesRoutes() []route.Route {
	page := func(pattern, name string, make makePage) route.Route {
		return route.Route{Method: "GET", Pattern: pattern, Name: "pages." + name, Handle: s.page(make)}
	}
	return []route.Route{
		page("/{$}", "root", s.homePage),
		page(pagesPrefix, "home", s.homePage),
		page(pagesPrefix+"/{$}", "home", s.homePage),
		page(pagesPrefix+"/tags/{tag}", "tag", s.tagPage),
		page(pagesPrefix+"/{user}", "user", s.userPage),
		page(pagesPrefix+"/{user}/items/{item_id}", "item", s.itemPage),
		page(pagesPrefix+"/{user}/private/{item_id}", "privateItem", s.itemPage),
	}
}

func (s *Service) pagesOptions() route.Options {
	return route.Options{
		Service: Name, WriteError: s.writePageError, Before: s.before,
		Clock: s.world.Clock, IDs: s.world.IDs, Memory: s.world.Memory, Requests: s.world.Requests, Telemetry: s.world.Telemetry,
	}
}

// makePage makes a page for a visitor who was let in.
type makePage func(r *route.Request, v Visit) (identity.Page, error)

// page shows a page inside the house's frame.
func (s *Service) page(make makePage) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		show, err := s.identity.ShowPage(func(r *route.Request, u *identity.User) (identity.Page, error) {
			place, err := s.place(r)
			if err != nil {
				return identity.Page{}, err
			}
			v, err := s.reader(r.Context(), place, u)
			if err != nil {
				return identity.Page{}, err
			}
			return make(r, v)
		})
		if err != nil {
			return err
		}
		return show(w, r)
	}
}

// writePageError tells people in words what programs are told in JSON.
func (s *Service) writePageError(w http.ResponseWriter, r *route.Request, err error) {
	kind, text := kindOf(r, err)
	title := map[ErrorType]string{
		BadRequest: "That cannot be shown", NotFound: "Not found", Forbidden: "This is not for you", RateLimited: "Too many requests",
		Unauthorized: "Sign in first", Internal: "Something went wrong",
	}[kind]
	if kind == NotFound {
		text = "There is no such page, or it is not for you to see"
	}
	if say, errPage := s.identity.ShowMessage(identity.Message{Status: statusOf(kind), Title: title, Text: text + "."}); errPage == nil {
		if err = say(w, r); err == nil {
			return
		}
	}
	writeError(w, r, err)
}

// pageAt is the page of a list that the address names.
func pageAt(r *route.Request) (int64, cut, error) {
	b := bounds()
	n, err := b.ReadNumbers(url.Values{"page": r.Query()["page"]})
	return int64(n.Page), cut{limit: pageSize, offset: int64(n.Page-1) * pageSize}, err
}

// homePage lists the newest articles, or what a search finds.
func (s *Service) homePage(r *route.Request, v Visit) (identity.Page, error) {
	f := s.frame(v.Place)
	f.Heading, f.Query = f.Edition, strings.TrimSpace(r.Query().Get("query"))
	at, c, err := pageAt(r)
	if err != nil {
		return identity.Page{}, err
	}
	numbers, total, err := s.Search(r.Context(), v, f.Query, c)
	if err != nil {
		return identity.Page{}, err
	}
	here := url.URL{Path: pagesPrefix, RawQuery: r.URL.RawQuery}
	if err := s.fill(r.Context(), v, &f, numbers, total, here, at); err != nil {
		return identity.Page{}, err
	}
	if f.Query != "" {
		f.Nothing = "Nothing was found. Try fewer words, or a tag."
		return s.sheet("home", f.Query, false, f)
	}
	order, _ := tagOrder("count")
	tags, _, err := s.store.tags(r.Context(), s.world.DB, v.teamID(), order, cut{limit: 12})
	if err != nil {
		return identity.Page{}, err
	}
	for _, t := range tags {
		if t.Items > 0 {
			f.Popular = append(f.Popular, linkView{t.Name, tagURL(t.Name)})
		}
	}
	return s.sheet("home", f.Edition, v.Team == nil, f)
}

func (s *Service) tagPage(r *route.Request, v Visit) (identity.Page, error) {
	t, err := s.store.tag(r.Context(), s.world.DB, v.teamID(), fold(r.PathValue("tag")))
	if err != nil {
		return identity.Page{}, err
	}
	f := s.frame(v.Place)
	f.Heading, f.Crumb = t.Name, plural(t.Followers, "follower", "followers")
	at, c, err := pageAt(r)
	if err != nil {
		return identity.Page{}, err
	}
	numbers, total, err := s.ItemsTagged(r.Context(), v, t, c)
	if err != nil {
		return identity.Page{}, err
	}
	if err := s.fill(r.Context(), v, &f, numbers, total, *r.URL, at); err != nil {
		return identity.Page{}, err
	}
	return s.sheet("list", t.Name, v.Team == nil, f)
}

func (s *Service) userPage(r *route.Request, v Visit) (identity.Page, error) {
	u, err := s.person(r.Context(), v, r.PathValue("user"))
	if err != nil {
		return identity.Page{}, err
	}
	people, err := s.persons(r.Context(), []int64{u.ID})
	if err != nil {
		return identity.Page{}, err
	}
	f := s.frame(v.Place)
	f.Heading, f.Crumb = u.DisplayName, "@"+u.Name+" · "+plural(people[u.ID].Followers, "follower", "followers")
	if f.Heading == "" {
		f.Heading = u.Name
	}
	at, c, err := pageAt(r)
	if err != nil {
		return identity.Page{}, err
	}
	numbers, total, err := s.ItemsOf(r.Context(), v, u.ID, c)
	if err != nil {
		return identity.Page{}, err
	}
	if err := s.fill(r.Context(), v, &f, numbers, total, *r.URL, at); err != nil {
		return identity.Page{}, err
	}
	return s.sheet("list", f.Heading, v.Team == nil, f)
}

// maxShownComments bounds the comments below an article.
const maxShownComments = 200

// itemPage shows an article, and counts a view unless its author looks.
func (s *Service) itemPage(r *route.Request, v Visit) (identity.Page, error) {
	i, err := s.seeWhole(r.Context(), s.world.DB, v, r.PathValue("item_id"))
	if err != nil {
		return identity.Page{}, err
	}
	if i.Tags, err = s.store.taggings(r.Context(), s.world.DB, i.Number); err != nil {
		return identity.Page{}, err
	}
	take, release, err := s.rows(r)
	if err != nil {
		return identity.Page{}, err
	}
	defer release()
	if err := take(i.bytes()); err != nil {
		return identity.Page{}, err
	}
	comments, _, err := s.store.comments(r.Context(), s.world.DB, i.Number, cut{limit: maxShownComments}, take)
	if err != nil {
		return identity.Page{}, err
	}
	ids := []int64{i.UserID}
	for _, c := range comments {
		ids = append(ids, c.UserID)
	}
	people, err := s.portraits(r.Context(), ids)
	if err != nil {
		return identity.Page{}, err
	}
	if !strings.EqualFold(people[i.UserID].name, r.PathValue("user")) || i.Private != strings.Contains(r.URL.Path, "/private/") {
		return identity.Page{}, errNotFound()
	}
	if v.userID() != i.UserID {
		s.views.add(i.Number)
	}
	f := s.frame(v.Place)
	f.Item = s.itemView(v, i, people[i.UserID], s.views.of(i.Number)[0])
	for n := len(comments) - 1; n >= 0; n-- {
		f.Comments = append(f.Comments, commentViewOf(comments[n], people[comments[n].UserID]))
	}
	return s.sheet("item", i.Title, v.Team == nil && !i.Private, f)
}
