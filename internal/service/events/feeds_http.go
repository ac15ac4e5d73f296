package events

import (
	"net/http"
	"strconv"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

func (s *Service) handlePublicEvents(w http.ResponseWriter, r *route.Request) error {
	return s.serveFeed(w, r, feed{feedPublic, 0, s.presentation(r)}, r.URL.Path)
}

func (s *Service) handleNetworkEvents(w http.ResponseWriter, r *route.Request) error {
	repo, _, err := s.pathRepository(r, func(moved forge.Repository) string {
		return "/networks/" + moved.FullName() + "/events"
	})
	if err != nil {
		return s.charge(w, r, err)
	}
	return s.serveFeed(w, r, feed{feedNetwork, repo.NetworkID, s.presentation(r)}, r.URL.Path)
}

func (s *Service) handleOrgEvents(w http.ResponseWriter, r *route.Request) error {
	f, err := s.orgFeed(r.Context(), r.PathValue("org"), s.presentation(r))
	if err != nil {
		return s.charge(w, r, err)
	}
	return s.serveFeed(w, r, f, r.URL.Path)
}

func (s *Service) handleRepoEvents(w http.ResponseWriter, r *route.Request) error {
	repo, _, err := s.pathRepository(r, func(moved forge.Repository) string {
		return repositoryPath(moved.ID) + "/events"
	})
	if err != nil {
		return s.charge(w, r, err)
	}
	return s.serveRepo(w, r, repo)
}

func (s *Service) handleRepoEventsByID(w http.ResponseWriter, r *route.Request) error {
	repo, _, err := s.repositoryByID(r)
	if err != nil {
		return s.charge(w, r, err)
	}
	return s.serveRepo(w, r, repo)
}

func (s *Service) serveRepo(w http.ResponseWriter, r *route.Request, repo forge.Repository) error {
	f, err := s.repoFeed(r.Context(), identity.From(r), repo, s.presentation(r))
	if err != nil {
		return s.charge(w, r, err)
	}
	return s.serveFeed(w, r, f, repositoryPath(repo.ID)+"/events")
}

func (s *Service) handleUserEvents(w http.ResponseWriter, r *route.Request) error {
	return s.serveUser(w, r, feedUserAll, feedUser)
}

func (s *Service) handleUserPublicEvents(w http.ResponseWriter, r *route.Request) error {
	return s.serveUser(w, r, feedUser, feedUser)
}

func (s *Service) handleReceivedEvents(w http.ResponseWriter, r *route.Request) error {
	return s.serveUser(w, r, feedReceivedAll, feedReceived)
}

func (s *Service) handleReceivedPublicEvents(w http.ResponseWriter, r *route.Request) error {
	return s.serveUser(w, r, feedReceived, feedReceived)
}

func (s *Service) serveUser(w http.ResponseWriter, r *route.Request, all, public feedKind) error {
	f, err := s.userFeed(r.Context(), identity.From(r), r.PathValue("username"), all, public, s.presentation(r))
	if err != nil {
		return s.charge(w, r, err)
	}
	return s.serveFeed(w, r, f, r.URL.Path)
}

func (s *Service) handleUserOrgEvents(w http.ResponseWriter, r *route.Request) error {
	f, err := s.userOrgFeed(r.Context(), identity.From(r), r.PathValue("username"), r.PathValue("org"), s.presentation(r))
	if err != nil {
		return s.charge(w, r, err)
	}
	return s.serveFeed(w, r, f, r.URL.Path)
}

// serveFeed answers with a page of a feed. path is how the pages beside it are
// addressed.
func (s *Service) serveFeed(w http.ResponseWriter, r *route.Request, f feed, path string) error {
	at, err := readPage(r)
	if err != nil {
		return s.charge(w, r, err)
	}
	t, err := s.timeline(r.Context(), f, r.Start)
	if err != nil {
		return s.charge(w, r, err)
	}
	p := t.page(at)
	s.feedHeaders(w.Header(), r, p)
	if len(r.Header["If-None-Match"]) > 0 {
		// A 304 is free: the budget is shown, not charged.
		if _, err := s.peek(w, r); err != nil {
			return err
		}
	}
	body, etag, compressed := p.Encoding(takesGzip(r.Header["Accept-Encoding"]))
	if wire.NotModified(w, r.Request, etag) {
		return nil
	}
	if err := s.charge(w, r, nil); err != nil {
		return err
	}
	link := p.Link(path, r.URL.RawQuery, func() string { return s.link(r, path, at, len(t.encoded)) })
	if link != "" {
		w.Header().Set("Link", link)
	}
	if compressed {
		w.Header()["Content-Encoding"] = s.words.gzip
	} else {
		r.Header.Del("Accept-Encoding") // too short to be compressed
	}
	return wire.WriteBytes(w, r.Request, http.StatusOK, "", body)
}

// repositoryPath is the address that renames do not change.
func repositoryPath(id int64) string { return "/repositories/" + strconv.FormatInt(id, 10) }

// rawQuery is the query of a request as it was sent.
func rawQuery(r *route.Request) string {
	if r.URL.RawQuery == "" {
		return ""
	}
	return "?" + r.URL.RawQuery
}
