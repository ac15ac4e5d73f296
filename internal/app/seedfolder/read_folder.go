package seedfolder

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The bounds of a folder that a seed file names.
const (
	maxFiles = 10_000
	maxBytes = 64 << 20
)

// Read reads the files below a folder beside the seed file. Links and what
// belongs to git itself are left out.
func Read(dir, folder string) (map[string]string, error) {
	if !filepath.IsLocal(folder) {
		return nil, fmt.Errorf("%s does not lie below the folder of the file", folder)
	}
	files, total := map[string]string{}, int64(0)
	tree := os.DirFS(filepath.Join(dir, folder))
	err := fs.WalkDir(tree, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && e.Name() == ".git":
			return fs.SkipDir
		case !e.Type().IsRegular():
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		files[name] = string(text)
		if total += int64(len(text)); total > maxBytes || len(files) > maxFiles {
			return fmt.Errorf("%s has more than %d files or %d bytes", folder, maxFiles, maxBytes)
		}
		return nil
	})
	return files, err
}
