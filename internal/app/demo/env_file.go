package demo

import (
	"path/filepath"

	"stoa.dev/stoa/internal/app/envfile"
)

// EnvFile is the file in the data folder that holds the demo world's variables.
const EnvFile = "demo.env"

// ReadEnv reads the demo.env of a data folder.
func ReadEnv(dir string) (map[string]string, error) { return envfile.Read(filepath.Join(dir, EnvFile)) }

// WriteEnv replaces the demo.env of a data folder in one step; it holds secrets.
func WriteEnv(dir string, env map[string]string) error {
	return envfile.Write(filepath.Join(dir, EnvFile), env)
}
