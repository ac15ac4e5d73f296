package kms

import (
	"errors"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/platform/smallbuild"
	"stoa.dev/stoa/internal/service/kms/awskms"
	"stoa.dev/stoa/internal/service/kms/azurekv"
	"stoa.dev/stoa/internal/service/kms/gcpkms"
	"stoa.dev/stoa/internal/service/kms/transit"
)

// Config chooses the key provider and bounds how keys are used.
type Config struct {
	// Provider has the key-encryption key: local, transit, awskms, gcpkms or
	// azurekv.
	Provider string `yaml:"provider"`
	// TCP offers the service on the common listener too, for clients with a
	// token of the operator or a client certificate; false means that it is on
	// the socket alone.
	TCP bool `yaml:"tcp"`
	// RotateEvery makes a new key when the current one is this old; 0 means
	// only when an operator asks.
	RotateEvery time.Duration `yaml:"rotate_every"`
	// ProbeEvery is how long Status may repeat its last result.
	ProbeEvery time.Duration `yaml:"probe_every"`
	// CallTimeout bounds one call to the provider.
	CallTimeout time.Duration `yaml:"call_timeout"`
	// RemoteCalls bounds how many calls to the provider run at once.
	RemoteCalls int `yaml:"remote_calls"`
	// DataKeyUses is how often one local data key encrypts before the next is
	// made.
	DataKeyUses int64         `yaml:"data_key_uses"`
	DataKeyTime time.Duration `yaml:"data_key_time"` // DataKeyTime is how long one local data key encrypts.
	// DataKeyCache is how many unwrapped data keys are cached.
	DataKeyCache int `yaml:"data_key_cache"`

	Transit transit.Config `yaml:"transit"`
	AWSKMS  awskms.Config  `yaml:"awskms"`
	GCPKMS  gcpkms.Config  `yaml:"gcpkms"`
	AzureKV azurekv.Config `yaml:"azurekv"`
}

// DefaultConfig keeps keys in the database, wrapped by the root key, and
// rotates them as often as the caller's documentation advises.
func DefaultConfig() Config {
	return Config{
		Provider: ProviderLocal, RotateEvery: 90 * 24 * time.Hour,
		ProbeEvery: 5 * time.Second, CallTimeout: 2 * time.Second, RemoteCalls: 64,
		DataKeyUses: 1 << 20, DataKeyTime: 24 * time.Hour, DataKeyCache: 4096,
		Transit: transit.DefaultConfig(), GCPKMS: gcpkms.DefaultConfig(), AzureKV: azurekv.DefaultConfig(),
	}
}

// cloudUse is whether a key service in the cloud is configured.
type cloudUse struct {
	name string
	used bool
}

func (c Config) clouds() []cloudUse {
	return []cloudUse{
		{ProviderAWSKMS, c.AWSKMS.Key != "" || c.Provider == ProviderAWSKMS},
		{ProviderGCPKMS, c.GCPKMS.Key != "" || c.Provider == ProviderGCPKMS},
		{ProviderAzureKV, c.AzureKV.Key != "" || c.Provider == ProviderAzureKV},
	}
}

// CheckOffline refuses key services that a server that is offline cannot ask.
// Earlier ones that are still configured count: their keys must decrypt.
func (c Config) CheckOffline() error {
	var bad []error
	for _, cloud := range c.clouds() {
		if cloud.used {
			bad = append(bad, fmt.Errorf("offline: kms.%s is a key service in the cloud: "+
				"use kms.provider local, or leave offline out", cloud.name))
		}
	}
	if c.Transit.Address != "" {
		bad = append(bad, outbound.CheckURL("kms.transit.address", c.Transit.Address))
	}
	return errors.Join(bad...)
}

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	var bad []error
	switch c.Provider {
	case ProviderLocal:
	case ProviderTransit:
		bad = append(bad, c.Transit.Validate())
	case ProviderAWSKMS:
		bad = append(bad, c.AWSKMS.Validate())
	case ProviderGCPKMS:
		bad = append(bad, c.GCPKMS.Validate())
	case ProviderAzureKV:
		bad = append(bad, c.AzureKV.Validate())
	default:
		bad = append(bad, fmt.Errorf("kms.provider: %q is not one of local, transit, awskms, gcpkms, azurekv",
			c.Provider))
	}
	for _, cloud := range c.clouds() {
		bad = append(bad, smallbuild.Refuse("kms."+cloud.name, cloud.used, smallbuild.CloudKeys))
	}
	if c.RotateEvery != 0 && c.RotateEvery < time.Hour {
		bad = append(bad, fmt.Errorf("kms.rotate_every must be 0 or at least 1h, not %s", c.RotateEvery))
	}
	for _, row := range []struct {
		name            string
		value, min, max time.Duration
	}{
		{"probe_every", c.ProbeEvery, time.Second, time.Minute},
		{"call_timeout", c.CallTimeout, 100 * time.Millisecond, time.Minute},
		{"data_key_time", c.DataKeyTime, time.Minute, 7 * 24 * time.Hour},
	} {
		if row.value < row.min || row.value > row.max {
			bad = append(bad, fmt.Errorf("kms.%s must be %s to %s, not %s", row.name, clock.FormatDuration(row.min),
				clock.FormatDuration(row.max), clock.FormatDuration(row.value)))
		}
	}
	for _, row := range []struct {
		name       string
		value, max int64
	}{
		{"remote_calls", int64(c.RemoteCalls), 4096},
		{"data_key_uses", c.DataKeyUses, 1 << 32},
		{"data_key_cache", int64(c.DataKeyCache), 1 << 20},
	} {
		if row.value < 1 || row.value > row.max {
			bad = append(bad, fmt.Errorf("kms.%s must be 1 to %d, not %d", row.name, row.max, row.value))
		}
	}
	return errors.Join(bad...)
}
