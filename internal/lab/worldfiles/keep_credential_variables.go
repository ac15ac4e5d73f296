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

var (
	// credential is the form of what a seed file gives a variable: an identifier or a secret.
	credential = regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_.-]{7,511}$`)
	// demoName are the program's own variables that say what is in a world. All others say where a server is, how it is
	// set up, or what a kit starts.
	demoName = regexp.MustCompile(`^STOA_(USER|PASSWORD|GUEST|TEAM|REPO|ARTICLE|ANALYTICS_(LOCATION|CAMPAIGN)|` +
		`((GUEST|PIPELINE)_)?TOKEN|(API|APP|SCHEDULING|MODEL)_KEY|(DEVICE|WEB)_CLIENT_(ID|SECRET))$`)
	// demoValue is the form of theirs, which may be a short name or a repository.
	demoValue = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,511}(/[A-Za-z0-9_.-]{1,255})?$`)
)

// KeepVariables leaves of the variables of a data folder those that hold credentials and names. Programs are started
// with them (stoa exec, kits), and others would tell a program what to load or to run: LD_PRELOAD, NODE_OPTIONS,
// STOA_BIN.
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
		if strings.HasPrefix(name, ownPrefix) {
			return !demoName.MatchString(name) || !demoValue.MatchString(value)
		}
		return !credential.MatchString(value)
	})
	return envfile.Write(file, env)
}
