//go:build packed

package docs

import (
	"archive/zip"
	_ "embed"
	"io/fs"
	"strings"
	"sync"
)

// archive is what tools/pack wrote before the build.
//
//go:embed packed/docs.zip
var archive string

// opened reads the archive's list of files when it is first asked for; read-only.
var opened = sync.OnceValue(func() fs.FS {
	files, err := zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	if err != nil {
		return damaged{err}
	}
	return files
})

// damaged answers why the archive cannot be read.
type damaged struct{ err error }

func (d damaged) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: d.err}
}
