package packages

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/telemetry"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
)

// underway is the graphs that are being resolved.
type underway struct {
	mu     sync.Mutex
	graphs map[*graph.Lookup]startedGraph
}

type startedGraph struct {
	root catalog.VersionKey
	at   time.Time
}

// begin notes a graph; end forgets it.
func (u *underway) begin(root catalog.VersionKey, at time.Time) (watch func(*graph.Lookup), end func()) {
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

// graphReport is how far the resolution of a graph has come: how many questions to
// registries were answered, of those that are known to be needed.
type graphReport struct {
	Graph    string  `json:"graph"`
	Seconds  float64 `json:"seconds"`
	Answered int     `json:"answered"`
	Asked    int     `json:"asked"`
}

func (u *underway) report(now time.Time) []graphReport {
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

// statusReport is what packages status shows.
type statusReport struct {
	Packages int64         `json:"packages"`
	Versions int64         `json:"versions"`
	Fetches  int64         `json:"fetches"`
	Graphs   []graphReport `json:"graphs"`
}

func (s *Service) runStatus(ctx context.Context, _ *module.Input) (any, error) {
	packages, versions, err := counts(ctx, s.world.DB)
	if err != nil {
		return nil, err
	}
	return statusReport{packages, versions, s.fetchPlaces.Used(), s.underway.report(s.world.Clock.Now())}, nil
}

// showWork shows what is under way among the metrics until the service closes.
func (s *Service) showWork() {
	s.hideWork = s.world.Telemetry.Samples("stoa_packages_underway",
		"Fetches from registries and graphs of packages under way, and of the graphs the questions asked and answered.",
		[]string{"work"}, func() []telemetry.Sample {
			graphs := s.underway.report(s.world.Clock.Now())
			asked, answered := 0, 0
			for _, g := range graphs {
				asked, answered = asked+g.Asked, answered+g.Answered
			}
			return []telemetry.Sample{
				{Labels: []string{"fetches"}, Value: float64(s.fetchPlaces.Used())},
				{Labels: []string{"graphs"}, Value: float64(len(graphs))},
				{Labels: []string{"questions"}, Value: float64(asked)},
				{Labels: []string{"answers"}, Value: float64(answered)},
			}
		})
}
