package demo

import (
	"errors"
	"io/fs"
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

// addresses are the variables that say where the server of a demo world is reached.
func addresses() []string {
	return []string{"STOA_URL", "STOA_HTTPS_URL", "STOA_CA_FILE", "STOA_KMS_SOCKET"}
}

// ForgetAddresses removes from the demo.env of a copied data folder, where there is one, the
// addresses of the original's server. The next start writes those of its own.
func ForgetAddresses(dir string) error {
	env, err := ReadEnv(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range addresses() {
		delete(env, name)
	}
	return WriteEnv(dir, env)
}
