// Command kits builds the packages of the kits into a folder: the module of Go as a
// file proxy has it, the tarball of npm, the wheel and the source distribution of
// Python. Nothing is fetched:
//
//	go run ./packaging/kits bin/kits v1.2.3
//
// They have the version that is given; one that is no release leaves the version that
// the sources name.
package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// kit is a folder with the sources of a package.
type kit struct {
	folder string
	build  func(source, out, version string) error
}

func kits() []kit {
	return []kit{
		{"kit/go", buildGo}, {"kit/node", buildNode}, {"kit/python", buildPython},
		{"kit/testcontainers/go", buildGo}, {"kit/testcontainers/node", buildNode},
		{"kit/testcontainers/python", buildPython},
	}
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "kits: name the folder for the packages, and the version of the program")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "kits:", err)
		os.Exit(1)
	}
}

var (
	release = regexp.MustCompile(`^v?(\d+\.\d+\.\d+)$`)
	// stamped are the places of the version in the sources.
	stamped = regexp.MustCompile(`(?m)^(const Version = "|VERSION = "|  "version": "|    "stoatest(?:==|": "))(\d+\.\d+\.\d+)(")`)
)

func run(out, version string) error {
	out, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	for _, k := range kits() {
		if err := pack(k, out, version); err != nil {
			return fmt.Errorf("%s: %w", k.folder, err)
		}
	}
	return nil
}

// pack builds one kit from a copy of its sources.
func pack(k kit, out, version string) (err error) {
	source, err := os.MkdirTemp("", "kit")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(source)) }()
	found, err := stampedCopy(k.folder, source, version)
	if err != nil {
		return err
	}
	if m := release.FindStringSubmatch(version); m != nil {
		found = m[1]
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	return k.build(source, out, found)
}

// stampedCopy copies the sources that git knows or would take, and the licence, and
// finds the version that they name.
func stampedCopy(folder, to, version string) (found string, err error) {
	git := exec.Command("git", "ls-files", "-co", "--exclude-standard", "--", folder)
	list, err := git.Output()
	if err != nil || len(list) == 0 {
		if list, err = walk(folder); err != nil { // a tree without git
			return "", err
		}
	}
	for name := range strings.Lines(string(list)) {
		name = strings.TrimSuffix(name, "\n")
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, and not committed yet
		}
		if err != nil {
			return "", err
		}
		if m := stamped.FindSubmatch(text); m != nil {
			found = string(m[2])
			if r := release.FindStringSubmatch(version); r != nil {
				text = stamped.ReplaceAll(text, []byte("${1}"+r[1]+"${3}"))
			}
		}
		below, err := filepath.Rel(folder, name)
		if err != nil {
			return "", err
		}
		if err := write(filepath.Join(to, below), text); err != nil {
			return "", err
		}
	}
	if found == "" {
		return "", errors.New("no source names a version")
	}
	licence, err := os.ReadFile("LICENSE")
	if err != nil {
		return "", err
	}
	return found, write(filepath.Join(to, "LICENSE"), licence)
}

func walk(folder string) ([]byte, error) {
	var list bytes.Buffer
	err := filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			list.WriteString(p + "\n")
		}
		return err
	})
	return list.Bytes(), err
}

func write(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}

// buildGo lays the module out as GOPROXY=file://FOLDER/goproxy reads it.
func buildGo(source, out, version string) error {
	mod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(mod), "\n")
	module := strings.TrimPrefix(first, "module ")
	dir := filepath.Join(out, "goproxy", filepath.FromSlash(module), "@v")
	var zipped bytes.Buffer
	if err := zipModule(&zipped, source, module+"@v"+version+"/"); err != nil {
		return err
	}
	return errors.Join(
		write(filepath.Join(dir, "list"), []byte("v"+version+"\n")),
		write(filepath.Join(dir, "v"+version+".info"), []byte(`{"Version":"v`+version+`"}`)),
		write(filepath.Join(dir, "v"+version+".mod"), mod),
		write(filepath.Join(dir, "v"+version+".zip"), zipped.Bytes()),
	)
}

func zipModule(to io.Writer, source, prefix string) error {
	out := zip.NewWriter(to)
	err := filepath.WalkDir(source, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		below, err := filepath.Rel(source, p)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		w, err := out.Create(prefix + filepath.ToSlash(below))
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	})
	return errors.Join(err, out.Close())
}

func buildNode(source, out, _ string) error {
	return tool(source, "npm", "pack", "--silent", "--pack-destination", out)
}

// pythonBuild calls the backend as a frontend does.
const pythonBuild = `import sys; sys.path.insert(0, "build_backend"); import backend
print(backend.build_wheel(sys.argv[1])); print(backend.build_sdist(sys.argv[1]))`

func buildPython(source, out, _ string) error {
	return tool(source, "python3", "-B", "-c", pythonBuild, out)
}

func tool(dir, name string, args ...string) error {
	c := exec.Command(name, args...)
	c.Dir = dir
	if text, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, text)
	}
	return nil
}
