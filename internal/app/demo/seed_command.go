package demo

import (
	"context"
	"path/filepath"
	"strings"

	"stoa.dev/stoa/internal/platform/module"
)

// CommandPath is the command that fills an empty data folder with the demo world.
const CommandPath = "seed demo"

// Server is what the command needs of the process that owns the folder.
type Server interface {
	SeedDemo(ctx context.Context) error
	// RefreshDemo records where the demo world can be reached; Address is empty where it cannot be.
	RefreshDemo(ctx context.Context) (map[string]string, error)
	Address() string
}

// seeded is who may sign in to a demo world, and the file that says the rest.
type seeded struct {
	Name     string `json:"name"`
	Password string `json:"password"`
	Env      string `json:"env"`
}

// Command seeds the demo world in the folder of a server, which carries it out itself where it runs: its folder is
// taken.
func Command(dir string, s Server) module.Command {
	return module.Command{
		Path: CommandPath, Begins: true, Short: "fill an empty data folder with the demo world",
		Run: func(ctx context.Context, _ *module.Input) (any, error) {
			if err := s.SeedDemo(ctx); err != nil {
				return nil, err
			}
			if s.Address() != "" {
				if _, err := s.RefreshDemo(ctx); err != nil {
					return nil, err
				}
			}
			env, err := ReadEnv(dir)
			if err != nil {
				return nil, err
			}
			return seeded{
				env["STOA_USER"], env["STOA_PASSWORD"], filepath.Join(strings.TrimSuffix(dir, "/"), EnvFile),
			}, nil
		},
	}
}
