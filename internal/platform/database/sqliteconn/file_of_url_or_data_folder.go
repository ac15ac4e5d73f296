package sqliteconn

import (
	"errors"
	"path/filepath"
	"strings"
)

// Path is the file named by sqlite:PATH, or the one of this name in the data folder.
func Path(url, folder, name string) (string, error) {
	path := strings.TrimPrefix(strings.TrimPrefix(url, "sqlite:"), "//")
	if path == "" || path == "sqlite" {
		if folder == "" {
			return "", errors.New("database: no data folder and no URL given")
		}
		path = filepath.Join(folder, name)
	}
	return filepath.Abs(path)
}
