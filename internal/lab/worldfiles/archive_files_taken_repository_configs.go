package worldfiles

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"

	"stoa.dev/stoa/internal/forge/git"
)

// repository is a folder of the forge, and what lies in it.
var repository = regexp.MustCompile(`^git/[0-9a-f]{2}/[0-9a-f]{32}\.git(?:/(.+))?$`)

// repositoryPart is what is taken of a repository. Names are whole and in small letters where a file system could
// take another spelling for them: objects/info/alternates reads objects of other folders.
var repositoryPart = regexp.MustCompile(`^(?:HEAD|packed-refs|shallow|refs(?:/.+)?|objects|` +
	`objects/[0-9a-f]{2}(?:/[0-9a-f]+)?|objects/pack(?:/[0-9a-z.-]+)?|objects/info(?:/packs)?)$`)

// parts are the files and folders of a data folder that are taken, besides repositories.
var parts = regexp.MustCompile(`^(?:stoa\.db|stoa\.db-wal|root\.key|root\.check|demo\.env|node\.id|` +
	`blobs(?:/.+)?|metrics(?:/.+)?|git|git/[0-9a-f]{2})$`)

// Taken reports whether a file or folder with this path below the data folder is taken over. The path has slashes.
func Taken(name string) bool {
	if !fs.ValidPath(name) || strings.Contains(name, `\`) {
		return false
	}
	if m := repository.FindStringSubmatch(name); m != nil {
		return m[1] == "" || repositoryPart.MatchString(m[1])
	}
	return parts.MatchString(name)
}

// ConfigureRepositories gives every repository of a data folder the configuration of a new one.
func ConfigureRepositories(root *os.Root) error {
	found, err := fs.Glob(root.FS(), "git/??/*.git")
	if err != nil {
		return err
	}
	var failed []error
	for _, dir := range found {
		failed = append(failed, root.WriteFile(path.Join(dir, "config"), []byte(git.NewConfig), 0o600))
	}
	return errors.Join(failed...)
}
