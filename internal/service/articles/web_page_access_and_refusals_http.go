package articles

import (
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/articles/refusal"
	"stoa.dev/stoa/internal/service/articles/rowmemory"
	"stoa.dev/stoa/internal/service/articles/web"
)

func (s *Service) pages() *web.Pages { return web.New(s.identity.ShowPage, s.openPages) }

func (s *Service) pagesOptions() route.Options {
	return s.world.RouteOptions(route.Options{
		Service: Name, WriteError: s.writePageError, Before: s.before,
	})
}

// writePageError says in words what writeError says in JSON.
func (s *Service) writePageError(w http.ResponseWriter, r *route.Request, err error) {
	kind, text := kindOf(r, err)
	title := map[refusal.Kind]string{
		refusal.BadRequest: "That cannot be shown", refusal.NotFound: "Not found",
		refusal.Forbidden: "This is not for you", refusal.RateLimited: "Too many requests",
		refusal.Unauthorized: "Sign in first", refusal.Internal: "Something went wrong",
	}[kind]
	if kind == refusal.NotFound {
		text = "There is no such page, or it is not for you to see"
	}
	message := identity.Message{Status: statusOf(kind), Title: title, Text: text + "."}
	if say, errPage := s.identity.ShowMessage(message); errPage == nil {
		if err = say(w, r); err == nil {
			return
		}
	}
	writeError(w, r, err)
}

func (s *Service) openPages(r *route.Request, u *identity.User) (web.Source, func(), error) {
	at, err := s.site(r)
	if err != nil {
		return nil, nil, err
	}
	if err := s.sites.AuthorizeReader(r.Context(), at, u); err != nil {
		return nil, nil, err
	}
	scope := Scope{Service: s, Site: at, rows: rowmemory.New(s.world.Memory, r)}
	if u != nil {
		scope.Caller = &identity.Caller{UserID: u.ID, UserName: u.Name}
	}
	return pageSource{scope}, scope.close, nil
}
