// Command pack writes what the binary carries compressed: the documentation, the
// vocabulary of the token counter and, where it was built, the engine program.
// Builds with the tags packed and stoa_engine embed the files.
//
//	go run ./tools/pack
package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"stoa.dev/stoa/docs"
	"stoa.dev/stoa/internal/service/generate/tokens/bytepairs"
)

// Where the packages that embed the files look for them.
const (
	docsFile       = "docs/packed/docs.zip"
	vocabularyFile = "internal/service/generate/tokens/bytepairs/packed/cl100k.gz"
	engineProgram  = "internal/service/generate/backend/local/built/stoa-engine"
)

func main() {
	for _, file := range []struct {
		path string
		pack func(io.Writer) error
	}{{docsFile, packDocs}, {vocabularyFile, packVocabulary}, {engineProgram + ".gz", packEngine}} {
		if err := write(file.path, file.pack); err != nil {
			fmt.Fprintf(os.Stderr, "pack %s: %v\n", file.path, err)
			os.Exit(1)
		}
	}
}

// write makes a file, and leaves one alone that has the right bytes already: the
// go command then need not look at it again.
func write(name string, pack func(io.Writer) error) error {
	var b bytes.Buffer
	if err := pack(&b); err != nil {
		return err
	}
	if have, err := os.ReadFile(name); b.Len() == 0 || err == nil && bytes.Equal(have, b.Bytes()) {
		return nil
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}

// packDocs writes an archive without times, so that equal pages make equal bytes.
func packDocs(w io.Writer) error {
	out := zip.NewWriter(w)
	out.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	files := docs.Files()
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		header := zip.FileHeader{Name: name, Method: zip.Deflate}
		if path.Ext(name) == ".png" {
			header.Method = zip.Store
			if text, err = smallerPicture(text); err != nil {
				return err
			}
		}
		entry, err := out.CreateHeader(&header)
		if err != nil {
			return err
		}
		_, err = entry.Write(text)
		return err
	})
	return errors.Join(err, out.Close())
}

func packVocabulary(w io.Writer) error {
	words, err := bytepairs.Words()
	if err != nil {
		return err
	}
	return bytepairs.Pack(w, words)
}

// packEngine writes nothing where make has built no engine program.
func packEngine(w io.Writer) error {
	program, err := os.ReadFile(engineProgram)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	out, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	_, err = out.Write(program)
	return errors.Join(err, out.Close())
}
