package apikeys_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/apikeys"
)

func TestConfigRefusesWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	if err := apikeys.DefaultConfig().Validate(); err != nil {
		t.Errorf("the default: %v", err)
	}
	for field, change := range map[string]func(*apikeys.Config){
		"requests_per_minute": func(c *apikeys.Config) { c.RequestsPerMinute = 0 },
		"max_days":            func(c *apikeys.Config) { c.MaxDays = 365_001 },
		"default_days":        func(c *apikeys.Config) { c.DefaultDays = c.MaxDays + 1 },
	} {
		c := apikeys.DefaultConfig()
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "apikeys."+field+" ") {
			t.Errorf("%s: got %v, want it named", field, err)
		}
	}
}
