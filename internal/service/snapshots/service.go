package snapshots

import (
	"context"
	"embed"
	"path/filepath"
	"sync"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/draw"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/snapshots/chart"
	"stoa.dev/stoa/internal/service/snapshots/conductrules"
	"stoa.dev/stoa/internal/service/snapshots/consoleresources"
	"stoa.dev/stoa/internal/service/snapshots/events"
	"stoa.dev/stoa/internal/service/snapshots/failures"
	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/ownedrows"
	"stoa.dev/stoa/internal/service/snapshots/pictures"
)

// Name is what the service is called in settings, logs and addresses.
const Name = "snapshots"

//go:embed migrations/*.sql
var migrations embed.FS

// Service stores points and draws them.
type Service struct {
	world         *world.World
	identity      *identity.Identity
	config        Config
	backend       metrics.Backend
	metadataCache *memo.Cache[string, knownMetric]
	own           selfRecorder
	rendered      *renderCache
	events        *events.Events
	batcher       snapshotBatcher
	places        *budget.Pool
	painter       func() (*chart.Painter, error)
}

// New builds the service, whose module opens its store when it starts.
func New(w *world.World, identity *identity.Identity, c Config) *Service {
	s := &Service{
		world: w, identity: identity, config: c, places: newPlaces(),
		rendered: newRenderCache(), events: events.New(w, c.Retention, c.MaxEvents),
	}
	s.metadataCache = memo.NewCounted[string, knownMetric](maxMetadata)
	s.batcher.write = s.storeGraphs
	s.painter = sync.OnceValues(func() (*chart.Painter, error) {
		renderer, err := draw.NewRenderer()
		if err != nil {
			return nil, err
		}
		return chart.NewPainter(renderer), nil
	})
	s.backend = s.openBackend()
	return s
}

// openBackend chooses between the embedded store and a remote one. Neither
// does anything before its first use.
func (s *Service) openBackend() metrics.Backend {
	if s.config.Backend != "" {
		return metrics.NewRemote(s.config.Backend, s.world.Outbound)
	}
	return metrics.NewLocal(metrics.Options{
		Dir: filepath.Join(s.world.Dir, metrics.Folder), Retention: s.config.Retention,
		MaxSeries: s.config.MaxSeries, MaxActive: s.config.MaxActiveSeries,
		Log: s.world.Telemetry.Log.With("component", "metrics"), Opened: s.own.opened,
	})
}

// Module describes the service to the app.
func (s *Service) Module() module.Module {
	routes := s.routes()
	return module.Module{
		Resources: consoleresources.All(), Owned: ownedrows.All(),
		Name: Name, Blobs: pictures.BlobRows(),
		Title:  "Metric graphs",
		Letter: "E",
		Prefixes: []string{
			"/api/v1", "/api/v2/series", "/api/v2/query", "/api/v2/metrics", "/api/v2/snapshot", "/v1/metrics", "/snapshot",
		},
		Handler:    route.New(s.muxOptions(), routes),
		Conduct:    conductrules.Rules(),
		Faults:     failures.Catalogue(faultErrors()),
		Routes:     routes,
		Migrations: s.migrations(),
		Immutable:  []string{metrics.Blocks},
		Jobs:       s.jobs(),
		Start:      s.start, Close: s.close,
		Demo:     s.demo,
		Seeds:    s.seeds(),
		Commands: s.commands(),
		CommandGroups: []module.CommandGroup{
			{Name: Name, Short: "Import points of the past"},
		},
		Keys: []identity.Kind{identity.KindAPI, identity.KindApplication},
		DemoCredentials: []module.DemoCredential{
			{Variable: "STOA_API_KEY", Kind: identity.KindAPI},
			{Variable: "STOA_APP_KEY", Kind: identity.KindApplication},
		},
		Example: module.Example{
			Credential: "STOA_API_KEY",
			Shell: `curl -H "SVC-API-KEY: $STOA_API_KEY" -H "SVC-APPLICATION-KEY: $STOA_APP_KEY" -G ` +
				`--data-urlencode "metric_query=avg:system.cpu.user{*} by {host}" -d start=$(($(date +%s)-86400)) ` +
				`-d end=$(date +%s) "$STOA_URL/api/v1/graph/snapshot"`,
		},
	}
}

func (s *Service) migrations() database.Migrations { return database.Embedded(Name, migrations) }

// start schedules the clean-up and begins to record the server's own metrics.
func (s *Service) start(ctx context.Context) error {
	err := s.world.Jobs.Schedule(ctx, jobs.Schedule{
		Name: Name + ".sweep", Spec: "@hourly", Kind: sweepKind, Payload: sweep{},
	})
	if err != nil {
		return err
	}
	s.own.start(s)
	return nil
}

func (s *Service) close() error {
	s.own.stop()
	s.batcher.workers.Wait()
	return s.backend.Close()
}
