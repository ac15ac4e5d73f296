package packages

import (
	"cmp"
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/platform/telemetry"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/dump"
)

func (s *Service) commands() []module.Command {
	files := []module.Arg{{Name: "file", Help: "the files to read", Many: true, File: module.ReadsFile}}
	return []module.Command{
		{
			Path:  "packages sources",
			Short: "Show where packages come from, whether that is asked and whether it answers", Run: s.runSources,
			Long: "The address of each ecosystem's registry is taken from the configuration, the ecosystem's environment variables and config files, or the installed package manager, whichever names one first. Those that are not configured are asked as packages.discover says; a credential in one is never sent and never shown.",
		},
		{
			Path: "packages status", Short: "Show how much is stored, and which graphs are being resolved",
			Run: s.runStatus,
		},
		{
			Path: "packages sync", Short: "Ask the registries about packages whose version lists are old",
			Run:   s.runSync,
			Flags: []module.Flag{{Name: "limit", Kind: module.Int, Default: "0", Help: "how many packages at most; 0 means the configured number"}},
		},
		{
			Path: "packages import", Short: "Load packages from dumps, lists, lock files and bills of materials",
			Args: files, Run: s.runImport,
			Flags: []module.Flag{
				{Name: "strict", Kind: module.Bool, Help: "end at the first line that cannot be read"},
				{Name: "digests", Kind: module.Bool, Help: "fetch the files of what is named, for all four digests"},
			},
			Long: "Reads dumps of packages export, and fetches what these name: lists of package URLs, package-lock, go.sum, Cargo.lock, requirements.txt, pom.xml, CycloneDX and SPDX in JSON. Lines that cannot be read are reported and passed over. An import that was cut short goes on when it is started again.",
		},
		{
			Path: "packages export", Short: "Write every stored package to a portable dump", Run: s.runExport,
			Args: []module.Arg{{
				Name: "file", Help: "the file to write; compressed when it ends in .gz", File: module.ReplacesFile,
			}},
		},
		{
			Path: "packages advisories import", Short: "Load security advisories in the OSV format", Args: files,
			Run:   s.runAdvisories,
			Flags: []module.Flag{{Name: "strict", Kind: module.Bool, Help: "end at the first record that cannot be read"}},
			Long:  "Reads OSV records, one JSON file each or zip archives of them, and marks the versions they affect.",
		},
		{
			Path: "packages advisories sync", Short: "Read the security advisories that changed",
			Run: func(ctx context.Context, in *module.Input) (any, error) { return s.SyncAdvisories(ctx, in.Progress) },
			Long: "Reads OSV records from packages.advisories.from, an address or a folder: " +
				"the archive of each ecosystem the first time, then the records that changed.",
		},
	}
}

// sourceReport is one line of packages sources.
type sourceReport struct {
	System  string `json:"system"`
	Address string `json:"address"`
	From    string `json:"from"`
	// Used says whether the registry is asked, Reason why or why not.
	Used   bool   `json:"used"`
	Reason string `json:"reason"`
	// Credential says what becomes of one that stood in the address; it is
	// never shown itself.
	Credential string `json:"credential"`
	Answers    bool   `json:"answers"`
	Problem    string `json:"problem"`
}

// probeTime is how long a registry may take to show that it is there.
const probeTime = 10 * time.Second

func (s *Service) runSources(ctx context.Context, in *module.Input) (any, error) {
	out := struct {
		Sources []sourceReport `json:"sources"`
	}{Sources: []sourceReport{}}
	systems := catalog.Systems()
	for i, system := range systems {
		in.Progress(module.Progress{Done: int64(i), Total: int64(len(systems)), Note: string(system)})
		f := s.sources.find(ctx, system)
		if f.err != nil {
			out.Sources = append(out.Sources, sourceReport{System: string(system), Problem: module.PlainMessage(f.err.Error())})
			continue
		}
		for _, a := range f.at {
			line := sourceReport{System: string(system), Address: a.URL, From: a.From, Credential: a.Credential()}
			if line.Used, line.Reason = s.uses(system); line.Used {
				line.Answers, line.Problem = s.probe(ctx, a)
			}
			out.Sources = append(out.Sources, line)
		}
	}
	return out, nil
}

// uses reports whether the registries of a system are asked, and why.
func (s *Service) uses(system catalog.System) (used bool, reason string) {
	switch why := s.config.Undiscovered(); {
	case s.world.Outbound.Offline():
		return false, "the server is offline"
	case s.config.Offline:
		return false, "packages.offline is set"
	case len(s.config.Registries.byKind()[kindOf(system)]) > 0:
		return true, "it is configured"
	case why != "":
		return false, why
	case s.config.Discover == DiscoverTrue:
		return true, "packages.discover is true"
	}
	return true, "packages.discover is auto and every listener is on loopback"
}

// probe reports whether anything answers at an address. Any status does: many
// registries have nothing to say at their root.
func (s *Service) probe(ctx context.Context, a registry.Address) (answers bool, problem string) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	_, err := s.sources.client.Get(ctx, registry.Request{URL: a.URL + "/", MaxBody: 1 << 20})
	var status *registry.StatusError
	if err == nil || errors.Is(err, registry.ErrNotFound) || errors.Is(err, registry.ErrTooLarge) ||
		errors.As(err, &status) && status.Status < 500 {
		return true, ""
	}
	return false, err.Error()
}

func (s *Service) runSync(ctx context.Context, in *module.Input) (any, error) {
	most := in.Int("limit")
	if most <= 0 {
		most = s.config.SyncAtMost
	}
	return s.Sync(ctx, most, in.Progress)
}

func (s *Service) runImport(ctx context.Context, in *module.Input) (any, error) {
	out := struct {
		Files []dump.ImportReport `json:"files"`
	}{Files: []dump.ImportReport{}}
	for _, name := range in.Texts("file") {
		report, err := s.Import(ctx, name, ImportOptions{in.Bool("strict"), in.Bool("digests"), in.Progress})
		if err = cmp.Or(err, report.Nothing()); err != nil {
			return nil, err
		}
		out.Files = append(out.Files, report)
	}
	return out, nil
}

func (s *Service) runExport(ctx context.Context, in *module.Input) (any, error) {
	return s.Export(ctx, in.Text("file"), in.Progress)
}

func (s *Service) runAdvisories(ctx context.Context, in *module.Input) (any, error) {
	out := struct {
		Files []advisoriesReport `json:"files"`
	}{Files: []advisoriesReport{}}
	for _, name := range in.Texts("file") {
		report, err := s.ImportAdvisories(ctx, name, in.Bool("strict"), in.Progress)
		if err != nil {
			return nil, err
		}
		out.Files = append(out.Files, report)
	}
	return out, nil
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
