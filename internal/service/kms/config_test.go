package kms_test

import (
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/service/kms"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	if err := kms.DefaultConfig().Validate(); err != nil {
		t.Fatalf("the default: %v", err)
	}
	for want, change := range map[string]func(*kms.Config){
		"kms.provider":        func(c *kms.Config) { c.Provider = "paper" },
		"kms.transit.address": func(c *kms.Config) { c.Provider = "transit" },
		"kms.rotate_every":    func(c *kms.Config) { c.RotateEvery = time.Minute },
		"kms.probe_every":     func(c *kms.Config) { c.ProbeEvery = 0 },
		"kms.call_timeout":    func(c *kms.Config) { c.CallTimeout = 0 },
		"kms.data_key_time":   func(c *kms.Config) { c.DataKeyTime = 8 * 24 * time.Hour },
		"kms.data_key_uses":   func(c *kms.Config) { c.DataKeyUses = 1 << 33 },
		"kms.data_key_cache":  func(c *kms.Config) { c.DataKeyCache = 0 },
		"kms.remote_calls":    func(c *kms.Config) { c.RemoteCalls = 0 },
	} {
		c := kms.DefaultConfig()
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Offline, no key service of another machine may be configured, also not one
// whose old keys are still to decrypt.
func TestCheckOffline(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		want   string
		change func(*kms.Config)
	}{
		{"", func(*kms.Config) {}},
		{"", func(c *kms.Config) { c.Transit.Address = "http://127.0.0.1:8200" }},
		{"kms.transit.address", func(c *kms.Config) { c.Transit.Address = "https://vault.example:8200" }},
		{"kms.awskms", func(c *kms.Config) { c.Provider = "awskms" }},
		{"kms.awskms", func(c *kms.Config) { c.AWSKMS.Key = "arn" }},
		{"kms.gcpkms", func(c *kms.Config) { c.GCPKMS.Key = "projects/x" }},
		{"kms.azurekv", func(c *kms.Config) { c.AzureKV.Key = "x" }},
	} {
		c := kms.DefaultConfig()
		row.change(&c)
		err := c.CheckOffline()
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("got %v, want %q", err, row.want)
		}
	}
}
