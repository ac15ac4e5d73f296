package memo

import (
	"hash/maphash"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

const (
	shards = 16
	// largestOfShard bounds one value to this part of its shard.
	largestOfShard = 2
)

// Sharded is a Cache in parts with a lock each, for what every request looks up.
type Sharded[K comparable, V any] struct {
	seed  maphash.Seed
	parts [shards]*Cache[K, V]
}

// Options are what a Sharded cache keeps, and for how long.
type Options[K comparable, V any] struct {
	// Limit is how many bytes, or without Cost how many values.
	Limit int
	Cost  func(K, V) int
	// Clock lets each value end when TTL has passed since it was put; without one
	// none ends.
	Clock clock.Clock
	TTL   time.Duration
}

// NewSharded makes a cache.
func NewSharded[K comparable, V any](o Options[K, V]) *Sharded[K, V] {
	s := &Sharded[K, V]{seed: maphash.MakeSeed()}
	limit := max(o.Limit/shards, min(o.Limit, 1))
	for i := range s.parts {
		part := NewCounted[K, V](limit)
		if part.cost = o.Cost; o.Cost != nil {
			part.largest = limit / largestOfShard
		}
		part.clock, part.ttl = o.Clock, o.TTL
		s.parts[i] = part
	}
	return s
}

func (s *Sharded[K, V]) part(key K) *Cache[K, V] {
	return s.parts[maphash.Comparable(s.seed, key)%shards]
}

// Get returns the value of a key. It is shared: the caller must not change it.
func (s *Sharded[K, V]) Get(key K) (value V, ok bool) { return s.part(key).Get(key) }

// Look is Get that also returns the mark to hand to PutSince of the same key.
func (s *Sharded[K, V]) Look(key K) (value V, mark Mark, ok bool) { return s.part(key).Look(key) }

// PutSince caches a value that was read since the mark, unless it was forgotten in between.
func (s *Sharded[K, V]) PutSince(key K, value V, mark Mark) { s.part(key).PutSince(key, value, mark) }

// Forget drops the value of a key.
func (s *Sharded[K, V]) Forget(key K) { s.part(key).Forget(key) }

// Clear drops all values.
func (s *Sharded[K, V]) Clear() {
	for _, part := range s.parts {
		part.Clear()
	}
}

// Stats are the counts of all parts.
func (s *Sharded[K, V]) Stats() Stats {
	var sum Stats
	for _, part := range s.parts {
		one := part.Stats()
		sum.Entries += one.Entries
		sum.Bytes += one.Bytes
		sum.Hits += one.Hits
		sum.Misses += one.Misses
		sum.Evicted += one.Evicted
	}
	return sum
}
