package analytics_test

import (
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/service/analytics"
)

func TestConfigRefusesWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	if err := analytics.DefaultConfig().Validate(); err != nil {
		t.Errorf("the default: %v", err)
	}
	for field, change := range map[string]func(*analytics.Config){
		"interval":    func(c *analytics.Config) { c.Interval = 1500 * time.Millisecond },
		"refresh_ttl": func(c *analytics.Config) { c.RefreshTTL = 0 },
		"max_bulk":    func(c *analytics.Config) { c.MaxBulk = 10_001 },
		"timeout":     func(c *analytics.Config) { c.Timeout = 0 },
	} {
		c := analytics.DefaultConfig()
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "analytics."+field+" ") {
			t.Errorf("%s: got %v, want it named", field, err)
		}
	}
}
