package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app/cli/labclient"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/module"
)

// variable is one of the program's environment, empty when it is not set.
func (p *Program) variable(name string) string {
	value := ""
	for _, entry := range p.Environ {
		if text, ok := strings.CutPrefix(entry, name+"="); ok {
			value = text
		}
	}
	return value
}

// dialLab finds the lab by the environment, or by the file in its folder, and waits where it is still starting.
func (p *Program) dialLab(ctx context.Context) (*labclient.Client, error) {
	if c := p.namedLab(); c != nil {
		return c, nil
	}
	return labclient.Find(ctx, clock.Real(), p.labDir())
}

// knownLab is dialLab that does not wait, for what works without a lab too.
func (p *Program) knownLab() (*labclient.Client, error) {
	if c := p.namedLab(); c != nil {
		return c, nil
	}
	return labclient.FromFolder(p.labDir())
}

// namedLab is the lab that the environment names, nil when it names none.
func (p *Program) namedLab() *labclient.Client {
	c := &labclient.Client{URL: p.variable(labclient.URLVariable), Token: p.variable(labclient.TokenVariable)}
	if c.URL == "" {
		return nil
	}
	return c
}

// labDir is the folder of the lab.
func (p *Program) labDir() string {
	if p.data == "" {
		return defaultLabDir
	}
	return p.data
}

// enterWorld makes the data folder that of the world that --world names. The lab
// opens it, because the world's clock and identifiers are in the lab's hand.
func (p *Program) enterWorld(c *cobra.Command) error {
	if p.worldName == "" {
		return nil
	}
	switch name, _, _ := strings.Cut(strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" "), " "); name {
	case "lab", "world", "clock", "fault", "requests", "expect", "inbox", "conduct", "exec", "serve", "start", "worker",
		"restore", "logs", "cert":
		return module.Fail(module.Usage, "see stoa "+name+" --help", "--world is not for %s", c.CommandPath())
	case "stop":
		return module.Fail(module.Usage, "stoa world sleep "+p.worldName+" closes it, stoa stop --data ends the lab",
			"a world has no process of its own")
	}
	client, err := p.dialLab(c.Context())
	if err != nil {
		return err
	}
	answer, err := client.Call(c.Context(), http.MethodPost, worldPath(p.worldName)+"/wake", struct{}{})
	if err != nil {
		return err
	}
	var w struct{ Env map[string]string }
	if err := json.Unmarshal(answer, &w); err != nil {
		return err
	}
	p.data = w.Env["STOA_DATA"]
	return nil
}
