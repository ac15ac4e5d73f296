package events

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"stoa.dev/stoa/internal/platform/database"
)

// timeline is one feed as it was at one moment, encoded. It never changes.
type timeline struct {
	// generation is the state of the feed's topic before it was read.
	generation uint64
	// sources are what a received feed was merged from.
	sources []feed
	lines   []line
	encoded [][]byte
	size    int64
	// until is when its oldest event becomes too old to be shown.
	until time.Time

	mu    sync.Mutex
	pages map[pageKey]*encodedPage
}

// topics counts, for every topic, how often it may have changed. A topic shares
// its counter with others of the same hash: that only costs a look.
type topics struct {
	counters [4096]atomic.Uint64
}

// topic is what an event can touch.
type topic struct {
	kind feedKind
	id   int64
}

func (t *topics) counter(k topic) *atomic.Uint64 {
	h := uint64(k.id)*0x9e3779b97f4a7c15 + uint64(k.kind)*0xbf58476d1ce4e5b9
	return &t.counters[(h^h>>29)%uint64(len(t.counters))]
}

// changed is called when an event is durable, before anybody is told so.
func (t *topics) changed(e Event) {
	for _, k := range [...]topic{
		{feedPublic, 0},
		{feedNetwork, e.NetworkID},
		{feedOrg, e.OrgID},
		{feedRepo, e.RepoID},
		{feedUser, e.Actor.ID},
		{feedReceived, 0},
	} {
		t.counter(k).Add(1)
	}
}

// changedAll is for changes whose reach is not known.
func (t *topics) changedAll() {
	for i := range t.counters {
		t.counters[i].Add(1)
	}
}

// topic is what the feed depends on.
func (f feed) topic() topic {
	switch f.kind {
	case feedPublic:
		return topic{feedPublic, 0}
	case feedNetwork:
		return topic{feedNetwork, f.id}
	case feedOrg, feedOrgAll:
		return topic{feedOrg, f.id}
	case feedRepo, feedRepoAll:
		return topic{feedRepo, f.id}
	case feedUser, feedUserAll:
		return topic{feedUser, f.id}
	case feedReceived, feedReceivedAll:
	}
	return topic{feedReceived, 0}
}

// timelines keeps encoded feeds.
//
// A timeline that is served always holds every event that was acknowledged
// before the request came. Where this process alone writes, the counter of the
// feed's topic tells: it is raised after an event's commit and before its
// acknowledgement, and a timeline remembers what it was before the store was
// read. Where others write too, or events wait before they are shown, the store
// is asked for the names of the events each time, and only what they say is
// kept.
type timelines struct {
	most    int64
	topics  topics
	flights singleflight.Group

	mu    sync.RWMutex
	kept  map[feed]*timeline
	bytes int64
}

func newTimelines(most int64) *timelines {
	return &timelines{most: most, kept: map[feed]*timeline{}}
}

func (c *timelines) get(f feed) *timeline {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.kept[f]
}

// put keeps a timeline and, when there is no room, forgets others.
func (c *timelines) put(f feed, t *timeline) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.kept[f]; old != nil {
		c.bytes -= old.size
	}
	c.kept[f] = t
	c.bytes += t.size
	for other, old := range c.kept {
		if c.bytes <= c.most {
			return
		}
		if other != f {
			delete(c.kept, other)
			c.bytes -= old.size
		}
	}
}

// timeline is the feed as it is now.
func (s *Service) timeline(ctx context.Context, f feed, now time.Time) (*timeline, error) {
	if f.received() {
		return s.receivedTimeline(ctx, f, now)
	}
	if !s.alone() {
		return s.askedTimeline(ctx, f, now)
	}
	generation := s.timelines.topics.counter(f.topic()).Load()
	if t := s.timelines.get(f); t != nil && t.generation == generation && now.Before(t.until) {
		return t, nil
	}
	// Whoever finds the same generation may share one look: it was begun after
	// every event that this caller can know of.
	name := strconv.FormatUint(generation, 36) + "/" + strconv.Itoa(int(f.kind)) + "/" + strconv.FormatInt(f.id, 36) + "/" + string(f.version)
	shared := s.timelines.flights.DoChan(name, func() (any, error) {
		t, err := s.load(context.WithoutCancel(ctx), f, now)
		if err != nil {
			return nil, err
		}
		t.generation = generation
		s.timelines.put(f, t)
		return t, nil
	})
	select {
	case r := <-shared:
		if r.Err != nil {
			return nil, r.Err
		}
		return r.Val.(*timeline), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// alone tells that nothing changes what feeds show but what this process does.
func (s *Service) alone() bool {
	return s.world.DB.Engine() == database.SQLite && s.config.Latency == 0
}

// askedTimeline asks the store which events there are and reuses what it has
// encoded when they are the same.
func (s *Service) askedTimeline(ctx context.Context, f feed, now time.Time) (*timeline, error) {
	lines, err := s.lines(ctx, f, now)
	if err != nil {
		return nil, err
	}
	if t := s.timelines.get(f); t != nil && slices.EqualFunc(t.lines, lines, sameLine) {
		return t, nil
	}
	t, err := s.load(ctx, f, now)
	if err != nil {
		return nil, err
	}
	s.timelines.put(f, t)
	return t, nil
}

func sameLine(a, b line) bool { return a.id == b.id && a.public == b.public }

// shownUntil is the latest moment whose events are shown. Without latency it
// is far away, so that clocks that differ a little hide nothing.
func (s *Service) shownUntil(now time.Time) time.Time {
	if s.config.Latency == 0 {
		return now.AddDate(1, 0, 0)
	}
	return now.Add(-s.config.Latency)
}

func (s *Service) lines(ctx context.Context, f feed, now time.Time) ([]line, error) {
	lines, err := feedLines(ctx, s.world.DB, f, s.shownUntil(now))
	return slices.DeleteFunc(lines, func(l line) bool { return now.Sub(l.at) > maxAge }), err
}

// load reads a feed and encodes what an earlier timeline of it does not hold.
// Events do not change, so what is encoded stays good.
func (s *Service) load(ctx context.Context, f feed, now time.Time) (*timeline, error) {
	old := s.timelines.get(f)
	var lines []line
	var fresh []Event
	err := s.world.DB.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		var err error
		if lines, err = feedLines(ctx, tx, f, s.shownUntil(now)); err != nil {
			return err
		}
		fresh, err = feedEvents(ctx, tx, f, s.shownUntil(now), old.unknown(lines))
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.assemble(lines, fresh, old, f, now)
}

// unknown is how many of the first lines have to be read so that all others
// are known.
func (t *timeline) unknown(lines []line) int {
	if t == nil {
		return len(lines)
	}
	for i := len(lines) - 1; i >= 0; i-- {
		if t.encodedOf(lines[i]) == nil {
			return i + 1
		}
	}
	return 0
}

// encodedOf finds an event in a timeline, which is sorted by id, newest first.
func (t *timeline) encodedOf(l line) []byte {
	i, found := slices.BinarySearchFunc(t.lines, l.id, func(have line, id int64) int { return cmp.Compare(id, have.id) })
	if !found || t.lines[i].public != l.public {
		return nil
	}
	return t.encoded[i]
}

// assemble encodes the fresh events, which are those of the first lines, and
// takes the others from the old timeline.
func (s *Service) assemble(lines []line, fresh []Event, old *timeline, f feed, now time.Time) (*timeline, error) {
	t := &timeline{until: now.Add(maxAge), size: 256}
	for i, l := range lines {
		if now.Sub(l.at) > maxAge {
			continue
		}
		var b []byte
		if i >= len(fresh) {
			b = old.encodedOf(l)
		} else {
			var err error
			if b, err = s.encode(fresh[i], f.version); err != nil {
				return nil, err
			}
		}
		t.lines, t.encoded = append(t.lines, l), append(t.encoded, b)
		// Once for itself and, roughly, once for the pages cut out of it.
		t.size += 2*int64(len(b)) + 64
		t.until = l.at.Add(maxAge)
	}
	return t, nil
}
