package transfer

import (
	"path"
	"path/filepath"
	"strconv"

	"stoa.dev/stoa/internal/platform/module"
)

// namedFile is one file or folder that a value of a command names.
type namedFile struct {
	arg   module.Arg
	path  string
	entry string // its name in a stream
}

// namedFiles are those of a command whose use is wanted, in the order they were typed.
func namedFiles(c module.Command, values map[string][]string, wanted func(module.FileUse) bool) (list []namedFile) {
	for _, a := range c.Args {
		if !wanted(a.File) {
			continue
		}
		for n, value := range values[a.Name] {
			base := filepath.Base(value)
			if !filepath.IsLocal(base) || base == "." {
				base = "unnamed"
			}
			list = append(list, namedFile{arg: a, path: value, entry: path.Join(a.Name, strconv.Itoa(n), base)})
		}
	}
	return list
}

func anyUse(u module.FileUse) bool { return u != module.NoFile }

// Needed reports whether a command names files.
func Needed(c module.Command, values map[string][]string) bool {
	return len(namedFiles(c, values, anyUse)) > 0
}

// Writes reports whether a command writes files.
func Writes(c module.Command, values map[string][]string) bool {
	return len(namedFiles(c, values, module.FileUse.Writes)) > 0
}
