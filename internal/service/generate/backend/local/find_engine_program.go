package local

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"stoa.dev/stoa/internal/platform/smallbuild"
)

// ErrNoProgram means that this binary came without its engine program.
var ErrNoProgram = errors.New("local: there is no engine program; " + howToHaveOne() +
	", or put stoa-engine beside the binary, or set generate.local.engine")

func howToHaveOne() string {
	if smallbuild.Enabled {
		return (&smallbuild.Error{Part: smallbuild.LocalModels}).Error()
	}
	return "build with make build"
}

// Program finds the engine program: the configured one, the one inside this
// binary, which is written into dir at its first use, or stoa-engine beside
// the binary.
func Program(configured, dir string) (string, error) {
	if configured != "" {
		return configured, nil
	}
	if program != "" {
		return unpack(dir)
	}
	own, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("local: %w", err)
	}
	beside := filepath.Join(filepath.Dir(own), "stoa-engine")
	if _, err := os.Stat(beside); err != nil {
		return "", ErrNoProgram
	}
	return beside, nil
}

// expand is the program as it is run.
func expand(packed string) ([]byte, error) {
	in, err := gzip.NewReader(strings.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("local: the engine program inside this binary: %w", err)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("local: the engine program inside this binary: %w", err)
	}
	return text, nil
}

// unpack writes the program under a name that holds its hash, so that two
// versions of a server can share a folder.
func unpack(dir string) (string, error) {
	text, err := expand(program)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	path := filepath.Join(dir, "stoa-engine-"+hex.EncodeToString(sum[:8]))
	if have, err := os.ReadFile(path); err == nil && sha256.Sum256(have) == sum {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("local: %w", err)
	}
	building, err := os.CreateTemp(dir, "stoa-engine-*.new")
	if err != nil {
		return "", fmt.Errorf("local: %w", err)
	}
	_, err = building.Write(text)
	err = errors.Join(err, building.Chmod(0o700), building.Close())
	if err == nil {
		err = os.Rename(building.Name(), path)
	}
	if err != nil {
		return "", fmt.Errorf("local: %w", errors.Join(err, os.Remove(building.Name())))
	}
	return path, nil
}
