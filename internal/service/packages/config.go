package packages

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/platform/smallbuild"
	"stoa.dev/stoa/internal/service/packages/resolve/pypi"
)

// Config says where packages come from and how long answers are kept.
type Config struct {
	// Registries names the registries of each ecosystem.
	Registries RegistriesConfig `yaml:"registries"`
	// Discover says whether the registries of ecosystems that Registries leaves
	// out are found out from the machine (environment, config files, package
	// managers) and asked: auto, true or false. auto asks them while every
	// listener is on loopback.
	Discover Discover `yaml:"discover"`
	// Reachable is why auto does not ask them; app knows.
	Reachable string `yaml:"-"`
	// Offline answers from the store alone and asks no registry.
	Offline bool `yaml:"offline"`
	// PullTimeout bounds the fetch of one package or version on request.
	PullTimeout time.Duration `yaml:"pull_timeout"`
	// FetchesPerHour is how many fetches the requests of one address may cause in an hour.
	FetchesPerHour int64 `yaml:"fetches_per_hour"`
	// BatchFetches is how many fetches one batch request may cause.
	BatchFetches int `yaml:"batch_fetches"`
	// MaxFetched is how many versions the store takes up because callers asked
	// for them; one address may add a tenth of it in a day. What an operator
	// imports does not count.
	MaxFetched int64 `yaml:"max_fetched"`
	// BatchPullTime bounds all fetches that one batch request may cause; what
	// is not fetched by then is answered as unknown and found the next time.
	BatchPullTime time.Duration `yaml:"batch_pull_time"`
	// MissingFor is how long a registry's "not found" is believed.
	MissingFor time.Duration `yaml:"missing_for"`
	// FreshFor is how long a package's version list is served before the
	// registry is asked whether it changed.
	FreshFor time.Duration `yaml:"fresh_for"`
	// SyncEvery is how often known packages are looked through for stale ones;
	// zero leaves that to the sync command.
	SyncEvery time.Duration `yaml:"sync_every"`
	// SyncAtMost is how many packages one round refreshes.
	SyncAtMost int `yaml:"sync_at_most"`
	// PerHost is how many requests may be under way to one registry host, by ecosystem.
	// One that takes longer than a second no longer counts.
	PerHost int `yaml:"per_host"`
	// Pause is the least time between two requests to one registry host.
	Pause time.Duration `yaml:"pause"`
	// BatchPage is how many responses one page of a batch holds.
	BatchPage int `yaml:"batch_page"`
	// CacheBytes bounds the memory for encoded documents, in bytes.
	CacheBytes int64 `yaml:"cache_bytes"`
	// CacheTime is how long another process's change may go unnoticed.
	CacheTime time.Duration `yaml:"cache_time"`
	// GraphWait is how long a request waits for a graph that is not resolved yet.
	// After that it is 503 with Retry-After, and the work goes on.
	GraphWait time.Duration `yaml:"graph_wait"`
	// Python is the version of Python that graphs of PyPI packages are resolved
	// for, such as 3.13 or 3.11.7.
	Python string `yaml:"python"`
	// Advisories says where security advisories are read from.
	Advisories AdvisoriesConfig `yaml:"advisories"`
	// TrustedRoot is a file with the certificate authorities and logs that
	// attestations are checked against; empty means that none are checked.
	TrustedRoot string `yaml:"trusted_root"`
}

// AdvisoriesConfig says where advisories are and how often they are looked for.
type AdvisoriesConfig struct {
	// From is an address or a folder with OSV records in the layout in which they are
	// published; empty means that none are read.
	From string `yaml:"from"`
	// Every is how often what changed is read; zero leaves that to the command.
	Every time.Duration `yaml:"every"`
}

func (c AdvisoriesConfig) remote() bool { return strings.Contains(c.From, "://") }

func (c AdvisoriesConfig) validate() error {
	var bad []error
	if c.Every != 0 && c.Every < time.Minute {
		bad = append(bad, errors.New("packages.advisories.every must be 0 or at least one minute"))
	}
	if c.remote() {
		_, err := registry.NewAddress("osv", c.From, "packages.advisories.from")
		bad = append(bad, err)
	} else if c.From != "" && !filepath.IsAbs(c.From) {
		bad = append(bad, errors.New("packages.advisories.from must be an http address or an absolute path"))
	}
	return errors.Join(bad...)
}

// RegistriesConfig holds addresses by ecosystem, most preferred first.
type RegistriesConfig struct {
	Go       []string `yaml:"go"`       // Go lists the addresses of Go module proxies, asked in this order.
	NPM      []string `yaml:"npm"`      // NPM lists the addresses of npm registries, asked in this order.
	Cargo    []string `yaml:"cargo"`    // Cargo lists the addresses of Cargo indexes, asked in this order.
	Maven    []string `yaml:"maven"`    // Maven lists the addresses of Maven repositories, asked in this order.
	PyPI     []string `yaml:"pypi"`     // PyPI lists the addresses of Python package indexes, asked in this order.
	NuGet    []string `yaml:"nuget"`    // NuGet lists the addresses of NuGet feeds, asked in this order.
	RubyGems []string `yaml:"rubygems"` // RubyGems lists the addresses of RubyGems servers, asked in this order.
}

// byKind is the configuration as the finder wants it.
func (c RegistriesConfig) byKind() map[registry.Kind][]string {
	return map[registry.Kind][]string{
		registry.Go: c.Go, registry.NPM: c.NPM, registry.Cargo: c.Cargo, registry.Maven: c.Maven,
		registry.PyPI: c.PyPI, registry.NuGet: c.NuGet, registry.RubyGems: c.RubyGems,
	}
}

// DefaultConfig finds the machine's own registries while only this machine can ask.
func DefaultConfig() Config {
	return Config{
		Discover:       DiscoverAuto,
		FetchesPerHour: 2000,
		BatchFetches:   100,
		MaxFetched:     5_000_000,
		PullTimeout:    20 * time.Second,
		BatchPullTime:  10 * time.Second,
		MissingFor:     10 * time.Minute,
		FreshFor:       24 * time.Hour,
		SyncEvery:      time.Hour,
		SyncAtMost:     500,
		PerHost:        8,
		Pause:          0,
		BatchPage:      2500,
		CacheBytes:     32 << 20,
		CacheTime:      30 * time.Second,
		GraphWait:      20 * time.Second,
		Python:         "3.13",
		Advisories:     AdvisoriesConfig{Every: 6 * time.Hour},
	}
}

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	var bad []error
	for name, value := range map[string]int64{
		"pull_timeout": int64(c.PullTimeout), "missing_for": int64(c.MissingFor), "fresh_for": int64(c.FreshFor),
		"per_host": int64(c.PerHost), "batch_page": int64(c.BatchPage), "sync_at_most": int64(c.SyncAtMost),
		"fetches_per_hour": c.FetchesPerHour, "batch_fetches": int64(c.BatchFetches), "graph_wait": int64(c.GraphWait),
		"max_fetched": c.MaxFetched,
	} {
		if value <= 0 {
			bad = append(bad, fmt.Errorf("packages.%s must be above 0", name))
		}
	}
	if c.BatchPage > maxBatch {
		bad = append(bad, fmt.Errorf("packages.batch_page must be at most %d, not %d", maxBatch, c.BatchPage))
	}
	if err := pypi.ParsePython(c.Python); err != nil {
		bad = append(bad, fmt.Errorf("packages.python: %w", err))
	}
	if c.SyncEvery != 0 && c.SyncEvery < time.Minute {
		bad = append(bad, errors.New("packages.sync_every must be 0 or at least one minute"))
	}
	if err := new(Discover).UnmarshalText([]byte(c.Discover)); err != nil {
		bad = append(bad, fmt.Errorf("packages.discover: %w", err))
	}
	bad = append(bad, c.Advisories.validate(),
		smallbuild.Refuse("packages.trusted_root", c.TrustedRoot != "", smallbuild.Attestations))
	for kind, addresses := range c.Registries.byKind() {
		for _, a := range addresses {
			if _, err := registry.NewAddress(kind, a, "packages.registries."+string(kind)); err != nil {
				bad = append(bad, err)
			}
		}
	}
	return errors.Join(bad...)
}
