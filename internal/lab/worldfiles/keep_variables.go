package worldfiles

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"stoa.dev/stoa/internal/app/envfile"
)

const (
	variables = "demo.env"
	ownPrefix = "STOA_"
)

// credential is the form of what a seed file gives a variable: an identifier or a secret.
var credential = regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_.-]{7,511}$`)

// KeepVariables leaves of the variables of a data folder those that hold credentials. Programs are started with them
// (stoa exec), and others would tell a program what to load or to run: LD_PRELOAD, NODE_OPTIONS, GIT_SSH_COMMAND.
func KeepVariables(root *os.Root) error {
	file := filepath.Join(root.Name(), variables)
	env, err := envfile.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	maps.DeleteFunc(env, func(name, value string) bool {
		return !strings.HasPrefix(name, ownPrefix) && !credential.MatchString(value)
	})
	return envfile.Write(file, env)
}
