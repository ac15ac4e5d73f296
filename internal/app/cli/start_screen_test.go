package cli

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/demo"
)

// TestStartScreen builds a demo world and reads what the newcomer reads.
func TestStartScreen(t *testing.T) {
	t.Parallel()
	config := app.DefaultConfig()
	config.Data = t.TempDir()
	config.Listen.HTTP, config.Listen.HTTPS = "127.0.0.1:0", "127.0.0.1:0"
	a, err := app.New(t.Context(), app.Options{Config: config, Version: "test", LogTo: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	if err := a.SeedDemo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	p := &Program{Stdout: &out, Stderr: t.Output()}
	if err := p.ready(t.Context(), a, serveFlags{demo: true, listen: "127.0.0.1:0"}, config.Dialect); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	last := lines[len(lines)-1]
	if len(lines) > 20 || !strings.HasPrefix(lines[0], "Console") || !strings.HasPrefix(last, "ready http://") {
		t.Errorf("%d lines, want at most 20, the console's address first, the ready line last:\n%s", len(lines), out.String())
	}
	env, err := demo.ReadEnv(config.Data)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range env {
		if strings.Contains(name, "TOKEN") && strings.Contains(out.String(), value) {
			t.Errorf("the screen shows %s", name)
		}
		// A shell that has read demo.env may start another server.
		if _, err := app.LoadConfig("", []string{name + "=" + value}); err != nil {
			t.Errorf("%s is written by the program and refused: %v", name, err)
		}
	}
}
