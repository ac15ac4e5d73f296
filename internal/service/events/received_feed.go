package events

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"stoa.dev/stoa/internal/forge"
)

// maxWatched bounds what one received feed is merged from.
const maxWatched = 100

// received reports whether the feed is merged from those of repositories.
func (f feed) received() bool { return f.kind == feedReceived || f.kind == feedReceivedAll }

// sources are the feeds of the repositories that concern a user, with private
// events where the user may still read them. They are looked up for every
// request: a user who loses a permission loses the events at once, although that
// is not an event itself.
func (s *Service) sources(ctx context.Context, f feed) ([]feed, error) {
	watched, err := s.forge.Watched(ctx, f.id, maxWatched)
	if err != nil {
		return nil, err
	}
	list := make([]feed, 0, len(watched))
	for _, id := range watched {
		source := feed{kind: feedRepo, id: id}
		if f.kind == feedReceivedAll {
			r, err := s.forge.Repository(ctx, id)
			if errors.Is(err, forge.ErrNotFound) {
				continue // deleted meanwhile
			}
			if err != nil {
				return nil, err
			}
			may, err := s.forge.PermissionOf(ctx, f.id, r)
			if err != nil {
				return nil, err
			}
			if may >= forge.Read {
				source.kind = feedRepoAll
			}
		}
		list = append(list, source)
	}
	return list, nil
}

// merge is the newest events of the sources, without what the user did. After each source no more is kept than a feed
// shows.
func (s *Service) merge(ctx context.Context, f feed, sources []feed, now time.Time) ([]Event, error) {
	var all []Event
	for _, source := range sources {
		some, err := listEvents(ctx, s.world.DB, source, s.shownUntil(now), maxEvents)
		if err != nil {
			return nil, err
		}
		all = append(all, slices.DeleteFunc(some, func(e Event) bool {
			return e.Actor.ID == f.id || now.Sub(e.CreatedAt) > maxAge
		})...)
		slices.SortFunc(all, func(a, b Event) int { return cmp.Compare(b.ID, a.ID) })
		all = newest(all)
	}
	return all, nil
}

// newest is what a feed shows of sorted events.
func newest(all []Event) []Event {
	bytes := 0
	for i, e := range all {
		if i == maxEvents || i > 0 && bytes+len(e.Payload) > maxFeedBytes {
			clear(all[i:]) // or their payloads stay
			return all[:i]
		}
		bytes += len(e.Payload)
	}
	return all
}

// receivedTimeline is a received feed as it is now. Where this process alone
// writes, a cached timeline is valid for the same sources and generation.
func (s *Service) receivedTimeline(ctx context.Context, f feed, now time.Time) (*timeline, error) {
	generation := s.changes.of(f.topic()).Load()
	sources, err := s.sources(ctx, f)
	if err != nil {
		return nil, err
	}
	cached, ok := s.timelines.Get(f)
	if ok && s.soleWriter() && cached.generation == generation && now.Before(cached.until) &&
		slices.Equal(cached.sources, sources) {
		return cached, nil
	}
	list, err := s.merge(ctx, f, sources, now)
	if err != nil {
		return nil, err
	}
	refs := refsOf(list)
	if ok && !s.soleWriter() && cached.shows(refs) {
		return cached, nil
	}
	t, err := s.assemble(refs, list, nil, f, now)
	if err != nil {
		return nil, err
	}
	t.generation, t.sources = generation, sources
	s.timelines.Put(f, t)
	return t, nil
}

func refsOf(list []Event) []eventRef {
	refs := make([]eventRef, 0, len(list))
	for _, e := range list {
		refs = append(refs, eventRef{e.ID, e.Public, e.CreatedAt})
	}
	return refs
}
