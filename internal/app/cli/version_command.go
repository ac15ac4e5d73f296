package cli

import (
	"encoding/json"
	"runtime"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/platform/smallbuild"
)

func (p *Program) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: arguments.Words(),
		RunE: func(*cobra.Command, []string) error {
			result, err := json.Marshal(struct {
				Version  string   `json:"version"`
				Go       string   `json:"go"`
				Platform string   `json:"platform"`
				Without  []string `json:"without,omitempty"` // what the small build leaves out
			}{p.Version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, smallbuild.Missing()})
			if err != nil {
				return err
			}
			return p.print(result)
		},
	}
}
