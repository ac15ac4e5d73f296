package packages

import (
	"slices"
	"strings"
	"sync"
	"time"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
)

// graphReport is how far the resolution of a graph has come: how many questions to
// registries were answered, of those that are known to be needed.
type graphReport struct {
	Graph    string  `json:"graph"`
	Seconds  float64 `json:"seconds"`
	Answered int     `json:"answered"`
	Asked    int     `json:"asked"`
}

// runningGraphs is the graphs that are being resolved.
type runningGraphs struct {
	mu     sync.Mutex
	graphs map[*graph.Lookup]startedGraph
}

type startedGraph struct {
	root catalog.VersionKey
	at   time.Time
}

// begin notes a graph; end forgets it.
func (u *runningGraphs) begin(root catalog.VersionKey, at time.Time) (watch func(*graph.Lookup), end func()) {
	var mine *graph.Lookup
	watch = func(l *graph.Lookup) {
		u.mu.Lock()
		defer u.mu.Unlock()
		if u.graphs == nil {
			u.graphs = map[*graph.Lookup]startedGraph{}
		}
		mine = l
		u.graphs[l] = startedGraph{root, at}
	}
	return watch, func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.graphs, mine)
	}
}

func (u *runningGraphs) report(now time.Time) []graphReport {
	u.mu.Lock()
	defer u.mu.Unlock()
	list := make([]graphReport, 0, len(u.graphs))
	for l, g := range u.graphs {
		done, asked := l.Progress()
		list = append(list, graphReport{g.root.String(), now.Sub(g.at).Seconds(), done, asked})
	}
	slices.SortFunc(list, func(a, b graphReport) int { return strings.Compare(a.Graph, b.Graph) })
	return list
}
