package app_test

import (
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/packages"
)

// What is asked outside follows from who can reach the server, and one line
// says so.
func TestOutboundLine(t *testing.T) {
	t.Parallel()
	const found = "this machine's package managers"
	for _, row := range []struct {
		name   string
		change func(*app.Config)
		want   string
	}{
		{"loopback", func(*app.Config) {}, found},
		{"localhost and HTTPS", func(c *app.Config) { c.Listen.HTTP, c.Listen.HTTPS = "localhost:1", "[::1]:2" }, found},
		{"every address", func(c *app.Config) { c.Listen.HTTP = ":8080" }, "a listener is not on loopback"},
		{"HTTPS for others", func(c *app.Config) { c.Listen.HTTPS = "0.0.0.0:8443" }, "a listener is not on loopback"},
		{"a proxy", func(c *app.Config) {
			c.Listen.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
		}, "trusted_proxies"},
		{"an address for others", func(c *app.Config) { c.BaseURL = "https://stoa.example" }, "base_url"},
		{"base address on loopback", func(c *app.Config) { c.BaseURL = "http://127.0.0.1:80" }, found},
		{"true", func(c *app.Config) { c.Listen.HTTP, c.Packages.Discover = ":8080", packages.DiscoverTrue }, found},
		{"false", func(c *app.Config) { c.Packages.Discover = packages.DiscoverFalse }, "packages.discover is false"},
		{"configured", func(c *app.Config) {
			c.Packages.Discover, c.Packages.Registries.NPM = packages.DiscoverFalse, []string{"https://a:secret@npm.example"}
		}, "configured registries (npm)"},
		{"offline", func(c *app.Config) { c.Offline = true }, "the server is offline"},
	} {
		c := app.DefaultConfig()
		row.change(&c)
		c.Packages.Reachable = c.Reachable()
		got := c.Outbound()
		if !strings.Contains(got, row.want) || strings.Contains(got, "secret") || strings.Contains(got, "\n") {
			t.Errorf("%s: %q, want %q in it", row.name, got, row.want)
		}
	}
}

func TestDiscoverSetting(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]packages.Discover{
		"true": packages.DiscoverTrue, "false": packages.DiscoverFalse, "auto": packages.DiscoverAuto, `"true"`: packages.DiscoverTrue,
		"sometimes": "",
	} {
		file := filepath.Join(t.TempDir(), "stoa.yaml")
		if err := os.WriteFile(file, []byte("packages:\n  discover: "+text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := app.LoadConfig(file, nil)
		if want == "" {
			if err == nil || !strings.Contains(err.Error(), "auto, true, false") {
				t.Errorf("%s: %v, want the choices", text, err)
			}
			continue
		}
		if err != nil || c.Packages.Discover != want {
			t.Errorf("%s: %q, %v, want %q", text, c.Packages.Discover, err, want)
		}
	}
	c, err := app.LoadConfig("", []string{"STOA_PACKAGES_DISCOVER=false", "STOA_OFFLINE=true"})
	if err != nil || c.Packages.Discover != packages.DiscoverFalse || !c.Offline {
		t.Errorf("environment: %q %t, %v", c.Packages.Discover, c.Offline, err)
	}
}

// A world for one command asks no registry that was found, however it listens.
func TestThrowAwayWorldAsksNoRegistry(t *testing.T) {
	t.Parallel()
	a, err := app.New(t.Context(), app.Options{Config: config(t), ThrowAway: "exec serves a world for one command"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	if got := a.Outbound(); !strings.Contains(got, "no package registry") || !strings.Contains(got, "one command") {
		t.Errorf("got %q", got)
	}
	for _, m := range a.Modules() {
		for _, c := range m.Commands {
			if c.Path != "packages sources" {
				continue
			}
			got, err := c.Run(t.Context(), &module.Input{Progress: func(module.Progress) {}})
			if text, _ := json.Marshal(got); err != nil || strings.Contains(string(text), `"used":true`) {
				t.Errorf("sources: %s, %v, want none used", text, err)
			}
		}
	}
}
