package resourcepages

import (
	"os"
	"path/filepath"
)

// writeFiles puts contents into files of a folder that only this process reads, and
// their names into the values of a command. remove deletes them again.
func (p *Pages) writeFiles(files map[string]string, values map[string][]string) (remove func(), err error) {
	if len(files) == 0 {
		return func() {}, nil
	}
	dir, err := os.MkdirTemp(p.o.Dir, "console-upload-")
	if err != nil {
		return nil, err
	}
	// What cannot be removed lies in the data folder, as safe as the rest of it.
	remove = func() { _ = os.RemoveAll(dir) }
	for name, content := range files {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			remove()
			return nil, err
		}
		values[name] = []string{file}
	}
	return remove, nil
}
