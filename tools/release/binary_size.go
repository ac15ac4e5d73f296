package main

import (
	"fmt"
	"os"
)

// maxBytes bounds a binary of a kind on every system; make sizes looks at the one it runs on.
func maxBytes(kind string) int64 {
	if kind == "small" {
		return 45_000_000
	}
	return 80_000_000
}

// checkSize refuses a binary that is larger than docs/small-build.md promises.
func checkSize(kind, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if most := maxBytes(kind); info.Size() > most {
		return fmt.Errorf("%s has %d bytes, the %s build has at most %d: see how sizes are kept in docs/small-build.md",
			path, info.Size(), kind, most)
	}
	return nil
}
