package world

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"stoa.dev/stoa/internal/platform/ids"
)

// nodeFile holds what makes a data folder's name among the processes that share a
// database.
const nodeFile = "node.id"

// nodeName names the node that lives in a folder. The host and the path are part of it:
// a copy of the folder is another node, whose jobs are not ours to take up.
func nodeName(dir string) (string, error) {
	path := filepath.Join(dir, nodeFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		text = []byte(ids.Random().Hex(32))
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("name of this node: %w", err)
	}
	host, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("name of this node: %w", err)
	}
	whole, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("name of this node: %w", err)
	}
	sum := sha256.Sum256([]byte(host + "\n" + whole + "\n" + string(text)))
	return hex.EncodeToString(sum[:8]), nil
}
