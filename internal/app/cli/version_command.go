package cli

import (
	"encoding/json"
	"runtime"

	"github.com/spf13/cobra"
)

func (p *Program) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: named(),
		RunE: func(*cobra.Command, []string) error {
			result, err := json.Marshal(struct {
				Version  string `json:"version"`
				Go       string `json:"go"`
				Platform string `json:"platform"`
			}{p.Version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH})
			if err != nil {
				return err
			}
			return p.print(result)
		},
	}
}
