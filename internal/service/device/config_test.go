package device_test

import (
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/service/device"
)

func TestConfigRefusesWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	if err := device.DefaultConfig().Validate(); err != nil {
		t.Errorf("the default: %v", err)
	}
	for field, change := range map[string]func(*device.Config){
		"code_ttl":            func(c *device.Config) { c.CodeTTL = 0 },
		"interval":            func(c *device.Config) { c.Interval = 1500 * time.Millisecond },
		"access_ttl":          func(c *device.Config) { c.AccessTTL = time.Millisecond },
		"refresh_ttl":         func(c *device.Config) { c.RefreshTTL = -1 },
		"codes_per_minute":    func(c *device.Config) { c.CodesPerMinute = 0 },
		"codes_per_network":   func(c *device.Config) { c.CodesPerNetwork = 0 },
		"requests_per_minute": func(c *device.Config) { c.RequestsPerMinute = -1 },
		"verification_url":    func(c *device.Config) { c.VerificationURL = "https://" + strings.Repeat("a", 40) },
	} {
		c := device.DefaultConfig()
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "device."+field+" ") {
			t.Errorf("%s: got %v, want it named", field, err)
		}
	}
}
