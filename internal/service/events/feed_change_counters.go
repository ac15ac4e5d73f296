package events

import "sync/atomic"

// changeCounters counts, for every topic, how often it may have changed. A topic
// shares its counter with others of the same hash: that only costs a read.
type changeCounters [4096]atomic.Uint64

// feedTopic is what an event can change. Its kind is one of the public feeds.
type feedTopic struct {
	kind feedKind
	id   int64
}

func (c *changeCounters) of(t feedTopic) *atomic.Uint64 {
	h := uint64(t.id)*0x9e3779b97f4a7c15 + uint64(t.kind)*0xbf58476d1ce4e5b9
	return &c[(h^h>>29)%uint64(len(c))]
}

// increment is called when an event is durable, before any caller is told so.
func (c *changeCounters) increment(e Event) {
	for _, t := range [...]feedTopic{
		{feedPublic, 0},
		{feedNetwork, e.NetworkID},
		{feedOrg, e.OrgID},
		{feedRepo, e.RepoID},
		{feedUser, e.Actor.ID},
		{feedReceived, 0},
	} {
		c.of(t).Add(1)
	}
}

// incrementAll is for changes that may concern any feed.
func (c *changeCounters) incrementAll() {
	for i := range c {
		c[i].Add(1)
	}
}

// topic is what the feed depends on.
func (f feed) topic() feedTopic {
	switch f.kind {
	case feedPublic:
		return feedTopic{feedPublic, 0}
	case feedNetwork:
		return feedTopic{feedNetwork, f.id}
	case feedOrg, feedOrgAll:
		return feedTopic{feedOrg, f.id}
	case feedRepo, feedRepoAll:
		return feedTopic{feedRepo, f.id}
	case feedUser, feedUserAll:
		return feedTopic{feedUser, f.id}
	case feedReceived, feedReceivedAll:
	}
	return feedTopic{feedReceived, 0}
}
