package articles

import (
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/articles/web"
)

func (s *Service) pages() *web.Pages { return web.New(s.identity.ShowPage, s.openPages) }

func (s *Service) pagesOptions() route.Options {
	return route.Options{
		Service: Name, WriteError: s.writePageError, Before: s.before,
		Clock: s.world.Clock, IDs: s.world.IDs, Memory: s.world.Memory, Requests: s.world.Requests,
		Telemetry: s.world.Telemetry,
	}
}

// writePageError says in words what writeError says in JSON.
func (s *Service) writePageError(w http.ResponseWriter, r *route.Request, err error) {
	kind, text := kindOf(r, err)
	title := map[ErrorType]string{
		BadRequest: "That cannot be shown", NotFound: "Not found", Forbidden: "This is not for you",
		RateLimited: "Too many requests", Unauthorized: "Sign in first", Internal: "Something went wrong",
	}[kind]
	if kind == NotFound {
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
	edition, err := s.edition(r)
	if err != nil {
		return nil, nil, err
	}
	scope, err := s.reader(r.Context(), edition, u)
	if err != nil {
		return nil, nil, err
	}
	scope.rows = s.rowMemory(r)
	return pageSource{scope}, scope.close, nil
}
