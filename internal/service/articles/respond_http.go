package articles

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/articles/rowmemory"
	"stoa.dev/stoa/internal/service/articles/site"
)

// Most operations take at most a name from the path, call one method of Scope and
// encode its result. The functions below are their handlers; the route table says
// which. The comments of handlers that do more are their summaries in docs/openapi.

func handleList[T, J any](s *Service, list func(Scope, context.Context, page.Numbers) ([]T, int64, error),
	encode func(T) J,
) route.Handler {
	return respondList(s, func(scope Scope, r *route.Request, p page.Numbers) ([]T, int64, error) {
		return list(scope, r.Context(), p)
	}, encode)
}

func handleListOf[T, J any](s *Service, param string,
	list func(Scope, context.Context, string, page.Numbers) ([]T, int64, error), encode func(T) J,
) route.Handler {
	return respondList(s, func(scope Scope, r *route.Request, p page.Numbers) ([]T, int64, error) {
		return list(scope, r.Context(), r.PathValue(param), p)
	}, encode)
}

func handleOne[T, J any](s *Service, param string, find func(Scope, context.Context, string) (T, error),
	encode func(T) J,
) route.Handler {
	return respondOne(s, func(scope Scope, r *route.Request) (T, error) {
		return find(scope, r.Context(), r.PathValue(param))
	}, encode)
}

func handleNoContent(s *Service, param string, do func(Scope, context.Context, string) error) route.Handler {
	return respondNoContent(s, func(scope Scope, r *route.Request) error {
		return do(scope, r.Context(), r.PathValue(param))
	})
}

// respondOne responds with what is found, or with what a change made of it.
func respondOne[T, J any](s *Service, find func(Scope, *route.Request) (T, error), encode func(T) J) route.Handler {
	return respond(s, http.StatusOK, find, encode)
}

func respondCreated[T, J any](s *Service, create func(Scope, *route.Request) (T, error),
	encode func(T) J,
) route.Handler {
	return respond(s, http.StatusCreated, create, encode)
}

func respond[T, J any](s *Service, status int, do func(Scope, *route.Request) (T, error),
	encode func(T) J,
) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		scope, err := s.scope(r)
		if err != nil {
			return err
		}
		defer scope.close()
		result, err := do(scope, r)
		if err != nil {
			return err
		}
		return wire.WriteJSON(w, r.Request, status, encode(result))
	}
}

func respondNoContent(s *Service, do func(Scope, *route.Request) error) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		scope, err := s.scope(r)
		if err != nil {
			return err
		}
		defer scope.close()
		if err := do(scope, r); err != nil {
			return err
		}
		wire.NoContent(w, http.StatusNoContent)
		return nil
	}
}

// respondList responds with a page of a list and the two paging headers.
func respondList[T, J any](s *Service, list func(Scope, *route.Request, page.Numbers) ([]T, int64, error),
	encode func(T) J,
) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		scope, rows, err := listPageOf(s, w, r, list)
		if err != nil {
			return err
		}
		defer scope.close()
		out := make([]J, len(rows))
		for n, row := range rows {
			out[n] = encode(row)
		}
		return wire.WriteJSON(w, r.Request, http.StatusOK, out)
	}
}

// pageBounds are the contract's.
func pageBounds() page.Bounds {
	return page.Bounds{PageName: "page", SizeName: "per_page", DefaultSize: 20, MaxSize: 100, MaxPage: 100}
}

// listPageOf lists the page that is asked for and sets the paging headers.
func listPageOf[T any](s *Service, w http.ResponseWriter, r *route.Request,
	list func(Scope, *route.Request, page.Numbers) ([]T, int64, error),
) (Scope, []T, error) {
	scope, err := s.scope(r)
	if err != nil {
		return scope, nil, err
	}
	p, err := pageBounds().ReadNumbers(r.Query())
	if err != nil {
		return scope, nil, err
	}
	rows, total, err := list(scope, r, p)
	if err != nil {
		scope.close()
		return scope, nil, err
	}
	here, err := url.Parse(s.sites.URL(r.Context(), scope.Site) + r.URL.RequestURI())
	if err == nil {
		w.Header().Set("Link", pageBounds().Link(here, p, total))
		w.Header().Set("Total-Count", strconv.FormatInt(total, 10))
	}
	return scope, rows, err
}

// readBody reads a JSON body.
func readBody(r *route.Request, to any) error {
	return wire.ReadJSON(r.Request, to, wire.RequireMediaType("application/json"))
}

// scope is the site and the caller of a request that gate let in; close it. A
// token that may not read public data reads the public site as an anonymous caller:
// a private item is data of its author.
func (s *Service) scope(r *route.Request) (Scope, error) {
	at, err := s.site(r)
	if err != nil {
		return Scope{}, err
	}
	scope := Scope{Service: s, Site: at, Caller: identity.From(r), rows: rowmemory.New(s.world.Memory, r)}
	if scope.Caller != nil && at.Team == nil && !writes(r) && !scope.Caller.HasScope(site.ScopeRead) {
		scope.Caller = nil
	}
	return scope, nil
}

func (s Scope) close() { s.rows.Release() }

// asIs encodes what needs no other shape.
func asIs[T any](v T) T { return v }
