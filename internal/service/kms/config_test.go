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
