package transfer

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"stoa.dev/stoa/internal/platform/module"
)

// SendInputs writes what a command reads.
func SendInputs(w io.Writer, c module.Command, values map[string][]string) error {
	out := tar.NewWriter(w)
	for _, f := range namedFiles(c, values, module.FileUse.Reads) {
		if err := sendInput(out, f); err != nil {
			return err
		}
	}
	return out.Close()
}

func sendInput(out *tar.Writer, f namedFile) error {
	var picked []string
	if f.arg.Pick != nil {
		var err error
		if picked, err = f.arg.Pick(f.path); err != nil {
			return err
		}
	}
	folder, entry := f.path, f.entry
	if f.arg.File == module.ReadsFile {
		if err := sendFile(out, f.path, f.entry); err != nil {
			return err
		}
		folder, entry = filepath.Dir(f.path), path.Dir(f.entry)
	} else if f.arg.Pick == nil {
		picked = []string{"."}
	}
	for _, name := range picked {
		if err := sendTree(out, folder, entry, name); err != nil {
			return err
		}
	}
	return nil
}

// sendTree writes the folders and ordinary files below a name of a folder.
func sendTree(out *tar.Writer, folder, entry, name string) error {
	if !filepath.IsLocal(name) {
		return module.Fail(module.Usage, "move it there", "%s does not lie below %s", name, folder)
	}
	return filepath.WalkDir(filepath.Join(folder, name), func(at string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest, err := filepath.Rel(folder, at)
		if err != nil {
			return err
		}
		to := path.Join(entry, filepath.ToSlash(rest))
		switch {
		case e.IsDir():
			return out.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: to + "/", Mode: 0o700})
		case e.Type().IsRegular():
			return sendFile(out, at, to)
		}
		return nil // links and devices are not data
	})
}

func sendFile(out *tar.Writer, from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	err = out.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: to, Mode: int64(info.Mode().Perm()), Size: info.Size(), Format: tar.FormatPAX,
	})
	if err != nil {
		return err
	}
	if _, err := io.CopyN(out, in, info.Size()); err != nil {
		return fmt.Errorf("%s changed while it was read: %w", from, err)
	}
	return nil
}
