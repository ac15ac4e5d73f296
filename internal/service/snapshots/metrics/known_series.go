//go:build !small

package metrics

import (
	"strings"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
)

// known is a series that was written before: its labels, the engine's
// reference, which spares hashing the labels, and a time after which it surely
// has no point.
type known struct {
	key    string
	labels labels.Labels
	ref    storage.SeriesRef
	last   int64
}

// maxKnown bounds the memory of known series; beyond it the map starts anew.
const maxKnown = 200_000

// known returns labels and reference of a series. It returns a copy, so that
// concurrent writers of one series do not share memory.
func (l *Local) known(key, org string, s *Series) known {
	if v, ok := l.series.Load(key); ok {
		if k, ok := v.(known); ok {
			return k
		}
	}
	made := toLabels(org, s.Metric, s.Tags)
	l.plain.note(made)
	l.mu.Lock()
	defer l.mu.Unlock()
	return known{key: key, labels: made, last: l.last}
}

// remember keeps what a write has learned about a series.
func (l *Local) remember(k known) {
	v, ok := l.series.Load(k.key)
	if old, isKnown := v.(known); isKnown && old.ref == k.ref && old.last == k.last {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.newest = max(l.newest, k.last); !ok {
		if l.count++; l.count > maxKnown {
			l.series.Clear()
			l.count, l.last = 1, l.newest
		}
	}
	l.series.Store(k.key, k)
}

func seriesKey(org string, s *Series) string {
	return org + "\x00" + s.Metric + "\x00" + strings.Join(s.Tags, "\x00")
}
