package app

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/app/ignoredvariables"
	"stoa.dev/stoa/internal/app/listen"
	"stoa.dev/stoa/internal/app/publicaddress"
	"stoa.dev/stoa/internal/app/settings"
	"stoa.dev/stoa/internal/console"
	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/platform/seal"
	"stoa.dev/stoa/internal/platform/smallbuild"
	"stoa.dev/stoa/internal/service/analytics"
	"stoa.dev/stoa/internal/service/apikeys"
	"stoa.dev/stoa/internal/service/articles"
	"stoa.dev/stoa/internal/service/calendar"
	"stoa.dev/stoa/internal/service/device"
	"stoa.dev/stoa/internal/service/events"
	"stoa.dev/stoa/internal/service/generate"
	"stoa.dev/stoa/internal/service/kms"
	"stoa.dev/stoa/internal/service/labels"
	"stoa.dev/stoa/internal/service/packages"
	"stoa.dev/stoa/internal/service/pipelines"
	"stoa.dev/stoa/internal/service/snapshots"
	"stoa.dev/stoa/internal/service/tasks"
)

// ErrConfig is wrapped by every error about the configuration.
var ErrConfig = errors.New("configuration")

// minJobLease leaves time to extend leases on a machine that is busy.
const minJobLease = 5 * time.Second

// Config is the whole configuration: the server's own part, then each package's.
type Config struct {
	// Data is the data folder.
	Data string `yaml:"data"`
	// RootKey is a file with the key that wraps secrets at rest; empty means
	// root.key in the data folder.
	RootKey string        `yaml:"root_key"`
	Listen  listen.Config `yaml:"listen"`
	// AdminPasswordFile holds the password of the first administrator; empty
	// means that one is made and printed once.
	AdminPasswordFile string `yaml:"admin_password_file"`
	// BaseURL is how clients reach the listener when a proxy stands before it.
	BaseURL string `yaml:"base_url"`
	// ScopeBase stands before /auth/NAME in scopes; empty means the base URL, or in
	// the sdk dialect the vendor's.
	ScopeBase string `yaml:"scope_base"`
	// Dialect is neutral, or sdk for the spellings of official SDKs.
	Dialect string    `yaml:"dialect"`
	Log     LogConfig `yaml:"log"`
	// Offline keeps every connection on this machine's loopback: registries,
	// deliveries, key services, upstream models, revocation checks, traces. The
	// database and the bucket are not meant: they hold the server's own data.
	Offline bool `yaml:"offline"`
	// Hosts gives services host names of their own: service name to host.
	Hosts map[string]string `yaml:"hosts"`
	// Workers is how many background jobs run at once.
	Workers int `yaml:"workers"`
	// JobLease is how long the jobs of a node that died wait for another node. The node
	// itself takes them up at once when it returns.
	JobLease time.Duration `yaml:"job_lease"`

	Database database.Config `yaml:"database"`
	Blob     blob.Config     `yaml:"blob"`
	Audit    audit.Config    `yaml:"audit"`
	Console  console.Config  `yaml:"console"`
	Identity identity.Config `yaml:"identity"`
	Deliver  deliver.Config  `yaml:"deliver"`

	KMS       kms.Config       `yaml:"kms"`
	Forge     forge.Config     `yaml:"forge"`
	Packages  packages.Config  `yaml:"packages"`
	Tasks     tasks.Config     `yaml:"tasks"`
	Labels    labels.Config    `yaml:"labels"`
	Snapshots snapshots.Config `yaml:"snapshots"`
	Articles  articles.Config  `yaml:"articles"`
	Pipelines pipelines.Config `yaml:"pipelines"`
	Calendar  calendar.Config  `yaml:"calendar"`
	Events    events.Config    `yaml:"events"`
	Device    device.Config    `yaml:"device"`
	Analytics analytics.Config `yaml:"analytics"`
	APIKeys   apikeys.Config   `yaml:"apikeys"`
	Generate  generate.Config  `yaml:"generate"`
}

// LogConfig says what is logged and how.
type LogConfig struct {
	// Format is text or json.
	Format string `yaml:"format"`
	// Level is debug, info, warn or error.
	Level string `yaml:"level"`
	// OTLP is the endpoint traces are exported to; empty means none.
	OTLP string `yaml:"otlp"`
}

// DefaultConfig serves on loopback from ./stoa-data.
func DefaultConfig() Config {
	return Config{
		Data:      "./stoa-data",
		Listen:    listen.DefaultConfig(),
		Dialect:   "neutral",
		Log:       LogConfig{Format: "text", Level: "info"},
		Workers:   8,
		JobLease:  time.Minute,
		Blob:      blob.DefaultConfig(),
		Audit:     audit.DefaultConfig(),
		Console:   console.DefaultConfig(),
		Identity:  identity.DefaultConfig(),
		KMS:       kms.DefaultConfig(),
		Forge:     forge.DefaultConfig(),
		Packages:  packages.DefaultConfig(),
		Tasks:     tasks.DefaultConfig(),
		Labels:    labels.DefaultConfig(),
		Snapshots: snapshots.DefaultConfig(),
		Articles:  articles.DefaultConfig(),
		Pipelines: pipelines.DefaultConfig(),
		Calendar:  calendar.DefaultConfig(),
		Events:    events.DefaultConfig(),
		Device:    device.DefaultConfig(),
		Analytics: analytics.DefaultConfig(),
		APIKeys:   apikeys.DefaultConfig(),
		Generate:  generate.DefaultConfig(),
	}
}

// LoadConfig reads defaults, then the file when one is named, then environ.
func LoadConfig(file string, environ []string) (Config, error) {
	c := DefaultConfig()
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return c, module.Fail(module.Config, "check the path after --config", "%w: %w", ErrConfig, err)
		}
		if err := settings.ReadFile(&c, file, text); err != nil {
			return c, fmt.Errorf("%w: %w", ErrConfig, err)
		}
	}
	if err := settings.ReadEnvironment(&c, environ, ignoredvariables.Variables()); err != nil {
		return c, module.Fail(module.Config, "correct the variables or unset them (env -u NAME)", "%w: %w", ErrConfig, err)
	}
	// Before anything opens a file: the error of that would repeat the value.
	if err := settings.CheckFiles(&c); err != nil {
		return c, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return c, nil
}

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	err := errors.Join(
		c.validateProcess(),
		c.Database.Validate(),
		c.Listen.Validate(),
		c.Log.validate(), smallbuild.Refuse("log.otlp", c.Log.OTLP != "", smallbuild.Traces),
		c.Blob.Validate(),
		c.Audit.Validate(),
		c.Console.Validate(),
		c.Identity.Validate(),
		c.Deliver.Validate(),
		c.KMS.Validate(),
		c.Forge.Validate(),
		c.Packages.Validate(),
		c.Tasks.Validate(),
		c.Labels.Validate(),
		c.Snapshots.Validate(),
		c.Articles.Validate(),
		c.Pipelines.Validate(),
		c.Calendar.Validate(),
		c.Events.Validate(),
		c.Device.Validate(),
		c.Analytics.Validate(),
		c.APIKeys.Validate(),
		c.Generate.Validate(),
		c.checkOffline(),
	)
	err = errors.Join(err, c.checkAddresses(err))
	if err == nil {
		return nil
	}
	if strings.Contains(err.Error(), "\n") {
		return fmt.Errorf("%w:\n%w", ErrConfig, err)
	}
	return fmt.Errorf("%w: %w", ErrConfig, err)
}

func (c Config) validateProcess() error {
	var bad []error
	if c.Data == "" {
		bad = append(bad, errors.New("data: name a folder"))
	}
	if err := oneOf("dialect", c.Dialect, "neutral", "sdk"); err != nil {
		bad = append(bad, err)
	}
	if c.Listen.ClientCAFile != "" && !c.KMS.TCP {
		bad = append(bad, errors.New(
			"listen.client_ca_file is for key management on the TLS listener, which kms.tcp: true offers"))
	}
	if c.JobLease < minJobLease {
		bad = append(bad, fmt.Errorf("job_lease must be at least %s, not %s", minJobLease,
			clock.FormatDuration(c.JobLease)))
	}
	bad = append(bad, publicaddress.CheckBase("base_url", c.BaseURL),
		publicaddress.CheckBase("scope_base", c.ScopeBase), c.checkHosts(),
		publicaddress.CheckListeners(c.Listen.HTTP, c.Listen.HTTPS))
	if c.Workers < 1 || c.Workers > 256 {
		bad = append(bad, fmt.Errorf("workers must be 1 to 256, not %d", c.Workers))
	}
	return errors.Join(bad...)
}

// checkAddresses refuses what is no http or https address and was not refused yet, also where it is not in use.
func (c Config) checkAddresses(refused error) error {
	return publicaddress.CheckOthers(refused, map[string][]string{
		"log.otlp": {c.Log.OTLP}, "blob.s3.endpoint": {c.Blob.S3.Endpoint},
		"device.verification_url": {c.Device.VerificationURL}, "kms.transit.address": {c.KMS.Transit.Address},
		"kms.awskms.endpoint": {c.KMS.AWSKMS.Endpoint}, "kms.gcpkms.endpoint": {c.KMS.GCPKMS.Endpoint},
		"kms.azurekv.vault": {c.KMS.AzureKV.Vault}, "kms.azurekv.login": {c.KMS.AzureKV.Login},
		"kms.azurekv.identity":    {c.KMS.AzureKV.Identity},
		"generate.registries.npm": c.Generate.Registries.NPM, "generate.registries.pypi": c.Generate.Registries.PyPI,
		"generate.registries.maven": c.Generate.Registries.Maven,
	})
}

// checkHosts refuses hosts that newHandler could not give to a service.
func (c Config) checkHosts() error {
	if len(c.Hosts) == 0 {
		return nil
	}
	names := []string{console.Name, "manual"}
	for _, m := range Services() {
		names = append(names, m.Name)
	}
	return publicaddress.CheckHosts(c.Hosts, names)
}

// checkOffline refuses what was configured and cannot work without the outside.
func (c Config) checkOffline() error {
	if !c.Offline {
		return nil
	}
	bad := []error{c.KMS.CheckOffline(), c.Snapshots.CheckOffline()}
	if c.Log.OTLP != "" {
		bad = append(bad, outbound.CheckURL("log.otlp", c.Log.OTLP))
	}
	return errors.Join(bad...)
}

func (c LogConfig) validate() error {
	return errors.Join(
		oneOf("log.format", c.Format, "text", "json"),
		oneOf("log.level", c.Level, "debug", "info", "warn", "error"),
	)
}

// level is the log level the operator chose; Validate made it one of four.
func (c LogConfig) level() slog.Level {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.Level)); err != nil {
		return slog.LevelInfo
	}
	return level
}

func oneOf(name, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return fmt.Errorf("%s: %q is not one of %s", name, value, strings.Join(allowed, ", "))
}

// CheckDemo refuses to serve a demo world beyond loopback. It is asked before
// anything is opened, so that a refusal leaves no folder behind.
func (c Config) CheckDemo() error {
	if c.Listen.LoopbackOnly() {
		return nil
	}
	return module.Fail(module.Config, "use --listen 127.0.0.1:8080, or leave --demo out",
		"the demo world is served on loopback only, because its credentials lie in a file")
}

// CheckWorker refuses what would let a worker start and then fail jobs, or lose
// what they keep. It is asked before anything is opened, because opening makes
// a root key where there is none.
//
// Everything that is missing is named at once, with the setting that gives it.
func (c Config) CheckWorker() error {
	var missing []error
	if c.Database.URL == "" {
		missing = append(missing, errors.New("database.url (--database): the database of the servers, whose jobs it takes"))
	}
	if c.BaseURL == "" {
		missing = append(missing, errors.New(
			"base_url (STOA_BASE_URL): the address of the servers, because a worker has no address of its own"))
	}
	if c.Blob.Store != blob.KindS3 {
		missing = append(missing, fmt.Errorf(
			"blob.store (STOA_BLOB_STORE): s3 with the bucket of the servers, where they read what jobs keep; blob.store is %s",
			c.Blob.Store))
	}
	key := c.RootKey
	if key == "" {
		key = filepath.Join(c.Data, seal.KeyFile)
	}
	if _, err := os.Stat(key); err != nil {
		missing = append(missing, fmt.Errorf(
			"root_key (STOA_ROOT_KEY): the path of a copy of the servers' root.key, which opens secrets of projects: %w", err))
	}
	if err := errors.Join(missing...); err != nil {
		return module.Fail(module.Config, "set these as the servers have them", "a worker shares with the servers:\n%w", err)
	}
	return nil
}
