package settings_test

import (
	"testing"

	"stoa.dev/stoa/internal/app/settings"
)

// TestOrigins: the place that wins is the origin, also where it says the default.
func TestOrigins(t *testing.T) {
	t.Parallel()
	type part struct {
		Size int `yaml:"size"`
	}
	type config struct {
		Data string `yaml:"data"`
		Log  string `yaml:"log"`
		Kept string `yaml:"kept"`
		Sub  part   `yaml:"sub"`
	}
	loaded := config{Data: "a", Log: "text", Kept: "default", Sub: part{7}}
	served := loaded
	served.Data = "/abs/a"
	got := settings.Origins(&served, settings.Given{
		File: []byte("log: text\nsub:\n  size: 7\n"), Environ: []string{"STOA_LOG=text", "STOA_KEPT="}, Loaded: &loaded,
	})
	for name, want := range map[string]settings.Origin{
		"data": settings.FromFlag, "log": settings.FromEnvironment, "sub.size": settings.FromFile,
		"kept": settings.FromDefault,
	} {
		if got[name] != want {
			t.Errorf("%s comes from %s, want %s", name, got[name], want)
		}
	}
}
