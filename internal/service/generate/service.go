package generate

import (
	"context"
	"embed"
	"html/template"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/generate/batches"
	"stoa.dev/stoa/internal/service/generate/conductrules"
	"stoa.dev/stoa/internal/service/generate/consoleresources"
	"stoa.dev/stoa/internal/service/generate/files"
	"stoa.dev/stoa/internal/service/generate/ownedrows"
	"stoa.dev/stoa/internal/service/generate/tokens"
)

// Name is the key of the service in configuration, tables, metrics and jobs.
const Name = "generate"

//go:embed migrations/*.sql
var migrations embed.FS

// Service answers prompts and keeps files and cached content.
type Service struct {
	world    *world.World
	identity *identity.Identity
	config   Config
	files    *files.Service
	batches  *batches.Service
	tokens   *tokens.Tokenizer
	metrics  modelMetrics
	// counting is the places of counting long texts.
	counting *budget.Pool
	// served is set by start, and by pulling or removing a model.
	served    atomic.Pointer[served]
	reloading sync.Mutex
	// configured are the backends of the models that the configuration names.
	configured map[string]Backend
	code       *codeRunner
	templates  *template.Template
	// wholeTime bounds answers that degrade and are not streamed.
	wholeTime time.Duration
	// getenv leads to the package managers' settings.
	getenv     func(string) string
	classifier Classifier
	// spellings knows the brand's words in every mode: taking them in requests
	// does no harm. brand are those that stand for members.
	spellings *dialect.Dialect
	brand     map[string]string
	// shown are the brand's words for members in answers, by the contract's; none
	// in the neutral mode.
	shown map[string]string
	// pages seals page tokens; its key is known once the world is open.
	pages func() *page.Sealer
}

// New builds the service. It touches no store.
func New(w *world.World, identity *identity.Identity, c Config, getenv func(string) string) *Service {
	s := &Service{
		world: w, identity: identity, config: c, tokens: tokens.NewTokenizer(), getenv: getenv,
		templates: parsedPages(), wholeTime: 4 * time.Minute,
		counting: budget.New(budget.Options{
			Name: Name + ".counting", Total: maxCounting, PerOwner: maxCounting / 2, Wait: countingWait,
		}),
		pages: sync.OnceValue(func() *page.Sealer { return page.NewSealer(w.Seal.Derive("generate page tokens")) }),
	}
	w.ShowCache("generate.tokens", s.tokens.CacheStats)
	s.files = files.New(w, identity, files.Config{
		MaxFileBytes: c.MaxFileBytes, MaxStorageBytes: c.MaxStorageBytes, MaxFiles: c.MaxFiles,
		Lifetime: c.FileLifetime,
	}, s.tokens)
	s.batches = batches.New(w, identity, s.files, s.batchAnswers())
	var err error
	if s.spellings, err = dialect.Load(dialect.SDK); err != nil {
		panic(err) // the table is part of the program
	}
	s.shown = map[string]string{}
	for brand, neutral := range w.Dialect.Members("M").Neutral() {
		s.shown[neutral] = brand
	}
	s.served.Store(&served{models: c.Models})
	s.brand = s.spellings.Members("M").Neutral()
	// This word is a member of another face of the API and too common a name.
	delete(s.brand, s.spellings.Says(dialect.ChatExtraBody))
	return s
}

// Module describes the service to the app.
func (s *Service) Module() module.Module {
	routes, openai := s.routes(), s.openAIRoutes()
	return module.Module{
		Name: Name, Title: "Generative content", Letter: "M", Resources: consoleresources.All(), Owned: ownedrows.All(),
		Prefixes: append(apiPrefixes(), pagesPrefix), Blobs: files.BlobRows(),
		Handler:    s.handler(routes, openai),
		Conduct:    conductrules.Rules(),
		Faults:     s.faultDefinitions(),
		Routes:     slices.Concat(routes, openai),
		Migrations: migrationFiles(),
		Jobs:       s.jobs(),
		Start:      s.start, Close: s.close,
		Check: s.check, Commands: s.commands(),
		CommandGroups: []module.CommandGroup{
			{Name: "generate", Short: "See what the language models were asked and what was used"},
			{Name: "models", Short: "Pull, add, list and remove local language models"},
		},
		Keys:            []identity.Kind{identity.KindAPI},
		DemoCredentials: []module.DemoCredential{{Variable: "STOA_MODEL_KEY", Kind: identity.KindAPI}},
		Example: module.Example{
			Credential: "STOA_MODEL_KEY",
			Shell: `curl -H "Content-Type: application/json" -d '{"contents":[{"parts":[{"text":"Hello"}]}]}' ` +
				`"$STOA_URL/v1beta/models/stoa-script:generateContent?key=$STOA_MODEL_KEY"`,
		},
	}
}

// start makes the backends and plans the sweep.
func (s *Service) start(ctx context.Context) (err error) {
	if s.classifier, err = builtinPatterns(); err != nil {
		return err
	}
	s.code = newCodeRunner(s.config.Code, filepath.Join(s.world.Dir, "code"), func() string {
		return "run-" + s.world.IDs.Hex(12)
	})
	if err := s.openBackends(); err != nil {
		return err
	}
	return s.world.Jobs.Schedule(ctx, jobs.Schedule{
		Name: sweepKind, Spec: "@hourly", Kind: sweepKind, Payload: sweep{},
	})
}

func (s *Service) close() error {
	s.metrics.close()
	if s.code != nil {
		s.code.close()
	}
	s.eachBackend(func(_ string, b Backend) { b.Close() })
	return nil
}
