package cli

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/platform/module"
)

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
