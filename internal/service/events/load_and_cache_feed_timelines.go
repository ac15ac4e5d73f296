package events

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/service/events/encodedpage"
)

// timeline is one feed as it was at one moment, encoded. It never changes; pages
// are added to it.
type timeline struct {
	// generation is the counter of the feed's topic from before the feed was read.
	generation uint64
	// sources are the feeds that a received feed was merged from.
	sources []feed
	refs    []eventRef
	encoded [][]byte
	// size is about how many bytes it takes in memory; cut means that older events did not fit.
	size int
	cut  bool
	// until is when its oldest event becomes too old to be shown.
	until time.Time
	pages encodedpage.Set
}

// page is a part of the timeline, made at most once.
func (t *timeline) page(k pageKey) *encodedpage.Page {
	return t.pages.Page(encodedpage.Key{Number: k.number, Size: k.size}, t.encoded,
		func(item int) time.Time { return t.refs[item].at })
}

// newTimelineCache keeps encoded feeds.
//
// A timeline that is served always holds every event that was acknowledged
// before the request came. Where this process alone writes, the counter of the
// feed's topic decides: it is incremented after an event's commit and before its
// acknowledgement, and a timeline remembers its value from before the store was
// read. Where other processes write too, or events wait before they are shown, the
// ids of the feed's events are read each time, and a cached timeline is served
// when it has the same.
func newTimelineCache(limit int64) *memo.Cache[feed, *timeline] {
	return memo.New(int(limit), func(_ feed, t *timeline) int { return t.size })
}

// timeline is the feed as it is now.
func (s *Service) timeline(ctx context.Context, f feed, now time.Time) (*timeline, error) {
	if f.received() {
		return s.receivedTimeline(ctx, f, now)
	}
	if !s.soleWriter() {
		return s.checkedTimeline(ctx, f, now)
	}
	generation := s.changes.of(f.topic()).Load()
	if t, ok := s.timelines.Get(f); ok && t.generation == generation && now.Before(t.until) {
		return t, nil
	}
	// Requests that find the same generation may share one read: it began after
	// every event that they can know of.
	key := strconv.FormatUint(generation, 36) + "/" + strconv.Itoa(int(f.kind)) + "/" +
		strconv.FormatInt(f.id, 36) + "/" + string(f.version) + "/" + f.base
	return s.loads.Do(ctx, key, func(ctx context.Context) (*timeline, error) {
		t, err := s.load(ctx, f, now)
		if err != nil {
			return nil, err
		}
		t.generation = generation
		s.timelines.Put(f, t)
		return t, nil
	})
}

// soleWriter reports whether only what this process does changes what feeds show.
func (s *Service) soleWriter() bool {
	return s.world.DB.Engine() == database.SQLite && s.config.Latency == 0
}

// checkedTimeline reads which events there are and serves the cached timeline
// when it has the same.
func (s *Service) checkedTimeline(ctx context.Context, f feed, now time.Time) (*timeline, error) {
	refs, err := s.feedRefs(ctx, f, now)
	if err != nil {
		return nil, err
	}
	if t, ok := s.timelines.Get(f); ok && t.shows(refs) {
		return t, nil
	}
	t, err := s.load(ctx, f, now)
	if err != nil {
		return nil, err
	}
	s.timelines.Put(f, t)
	return t, nil
}

// shows reports whether the timeline has these events, or as many of them as fit.
func (t *timeline) shows(refs []eventRef) bool {
	if t.cut {
		refs = refs[:min(len(refs), len(t.refs))]
	}
	return slices.EqualFunc(t.refs, refs, func(a, b eventRef) bool { return a.id == b.id && a.public == b.public })
}

// shownUntil is the latest moment whose events are shown. Without latency it
// is a year ahead, so that clocks that differ a little hide nothing.
func (s *Service) shownUntil(now time.Time) time.Time {
	if s.config.Latency == 0 {
		return now.AddDate(1, 0, 0)
	}
	return now.Add(-s.config.Latency)
}

func (s *Service) feedRefs(ctx context.Context, f feed, now time.Time) ([]eventRef, error) {
	refs, err := listRefs(ctx, s.world.DB, f, s.shownUntil(now))
	return slices.DeleteFunc(refs, func(l eventRef) bool { return now.Sub(l.at) > maxAge }), err
}

// load reads a feed and encodes the events that the cached timeline of it does not
// have. Events do not change, so an encoded one stays valid.
func (s *Service) load(ctx context.Context, f feed, now time.Time) (*timeline, error) {
	old, _ := s.timelines.Get(f)
	var refs []eventRef
	var fresh []Event
	cut := false
	err := s.world.DB.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		var err error
		if refs, err = listRefs(ctx, tx, f, s.shownUntil(now)); err != nil {
			return err
		}
		unknown := old.countUnknown(refs)
		if fresh, err = listEvents(ctx, tx, f, s.shownUntil(now), unknown); len(fresh) < unknown {
			refs, cut = refs[:len(fresh)], true
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	t, err := s.assemble(refs, fresh, old, f, now)
	if err == nil {
		t.cut = t.cut || cut
	}
	return t, err
}

// countUnknown is how many of the first events have to be read so that all others
// are known.
func (t *timeline) countUnknown(refs []eventRef) int {
	if t == nil {
		return len(refs)
	}
	for i := len(refs) - 1; i >= 0; i-- {
		if t.encodedOf(refs[i]) == nil {
			return i + 1
		}
	}
	return 0
}

// encodedOf finds an event in a timeline, which is sorted by id, newest first.
func (t *timeline) encodedOf(l eventRef) []byte {
	i, found := slices.BinarySearchFunc(t.refs, l.id, func(have eventRef, id int64) int {
		return cmp.Compare(id, have.id)
	})
	if !found || t.refs[i].public != l.public {
		return nil
	}
	return t.encoded[i]
}

// assemble encodes the fresh events, which are the first ones, and takes the others
// from the old timeline.
func (s *Service) assemble(
	refs []eventRef, fresh []Event, old *timeline, f feed, now time.Time,
) (*timeline, error) {
	t := &timeline{until: now.Add(maxAge), size: 256}
	for i, l := range refs {
		if now.Sub(l.at) > maxAge {
			continue
		}
		var b []byte
		if i >= len(fresh) {
			b = old.encodedOf(l)
		} else {
			var err error
			if b, err = s.encode(fresh[i], f.presentation); err != nil {
				return nil, err
			}
		}
		if t.size+2*len(b) > 2*maxFeedBytes && i > 0 {
			t.cut = true
			break
		}
		t.refs, t.encoded = append(t.refs, l), append(t.encoded, b)
		// Once for itself and, roughly, once for the pages that are made of it.
		t.size += 2*len(b) + 64
		t.until = l.at.Add(maxAge)
	}
	return t, nil
}
