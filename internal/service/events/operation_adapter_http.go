package events

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/access"
	"stoa.dev/stoa/internal/service/events/operation"
)

// host is what the service does for the operations of inner packages.
func (s *Service) host() operation.Host {
	return operation.Host{
		DB: s.world.DB, Forge: s.forge, Identity: s.identity, Now: s.now, Base: s.base,
		Repository: s.subjectRepository, Later: func(r *route.Request) bool { return s.version(r) != Version2022 },
		Page: func(r *route.Request) operation.Page {
			at := listPage(r)
			return operation.Page{Size: at.size, Offset: at.offset()}
		},
		Organization: func(r *route.Request) (forge.Owner, error) {
			return s.access.OwnedOrg(r.Context(), access.UserOf(identity.From(r)), r.PathValue("org"))
		},
		Record: s.recordOperation, Repos: s.repoObjects,
		Read: func(pattern, name string, handle operation.Handler) route.Route {
			return s.reads(pattern, name, route.Optional, s.readerOf(handle))
		},
		ReadLarge: func(pattern, name string, handle operation.Handler) route.Route {
			return s.readsLarge(pattern, name, s.readerOf(handle))
		},
		Change: s.changing,
	}
}

// subjectRepository is pathRepository for every address below a repository.
func (s *Service) subjectRepository(r *route.Request) (forge.Repository, forge.Permission, error) {
	return s.pathRepository(r, func(moved forge.Repository) string {
		parts := strings.SplitN(r.URL.EscapedPath(), "/", 5)
		return "/repos/" + moved.FullName() + "/" + parts[len(parts)-1]
	})
}

func (s *Service) recordOperation(ctx context.Context, tx *database.Tx, e operation.Event) error {
	facts, err := json.Marshal(e.Facts)
	if err != nil {
		return fmt.Errorf("payload of %s: %w", e.Type, err)
	}
	_, err = s.record(ctx, tx, eventOf(e.Repository, Type(e.Type), e.Actor, facts, true, e.At))
	return err
}

// readerOf answers with what an operation has found.
func (s *Service) readerOf(handle operation.Handler) reader {
	return func(r *route.Request) (reply, error) {
		out, err := handle(r)
		switch {
		case err != nil:
			return reply{}, err
		case out.List:
			return s.listReply(r, out.Body, listPage(r), out.Total), nil
		case out.Raw != nil:
			return reply{raw: out.Raw, media: "text/plain; charset=utf-8"}, nil
		}
		return reply{body: out.Body, empty: out.Body == nil}, nil
	}
}

// changing is the route of an operation that changes.
func (s *Service) changing(method, pattern, name string, handle operation.Handler) route.Route {
	class := ""
	if method == http.MethodPost {
		class = content
	}
	return route.Route{
		Method: method, Pattern: pattern, Name: name, Access: route.Required, MaxBody: maxBody, Timeout: readTimeout,
		Tags: map[string]string{tagLimit: class},
		Handle: func(w http.ResponseWriter, r *route.Request) error {
			out, err := handle(r)
			if err != nil {
				return err
			}
			if out.Location != "" {
				w.Header().Set("Location", out.Location)
			}
			if out.Body == nil {
				wire.NoContent(w, http.StatusNoContent)
				return nil
			}
			return s.writeJSON(w, r, max(out.Status, http.StatusOK), out.Body)
		},
	}
}

// asksFirst lets patterns win that have a word where others have a number, and more
// behind it.
func asksFirst(routes []route.Route) []route.Route {
	for i := range routes {
		p := routes[i].Pattern
		routes[i].First = strings.HasSuffix(p, "s/comments/{id}") || strings.HasSuffix(p, "/tags/{tag...}")
	}
	return routes
}
