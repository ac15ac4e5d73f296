//go:build !small

package metrics

import (
	"hash/maphash"
	"sync"
)

// seriesLocks let one writer at a time look at a series and add to it.
type seriesLocks struct {
	seed func() maphash.Seed
	each [64]sync.Mutex
}

func newSeriesLocks() *seriesLocks { return &seriesLocks{seed: sync.OnceValue(maphash.MakeSeed)} }

// lock takes the locks of all keys, in one order for every writer.
func (s *seriesLocks) lock(keys []string) (unlock func()) {
	var wanted [len(s.each)]bool
	for _, key := range keys {
		wanted[maphash.String(s.seed(), key)%uint64(len(s.each))] = true
	}
	for i := range s.each {
		if wanted[i] {
			s.each[i].Lock()
		}
	}
	return func() {
		for i := range s.each {
			if wanted[i] {
				s.each[i].Unlock()
			}
		}
	}
}
