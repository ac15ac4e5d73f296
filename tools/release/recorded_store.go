package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// recordedFolder is where the stores of released versions are kept: test/disk opens each with every build.
const recordedFolder = "test/disk/testdata"

// released tells a version that people get from what make builds between two of them.
var released = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(-[a-z]+[.0-9]*)?$`)

// recorded is the file with the store of a version.
func (r release) recorded(version string) string {
	return filepath.Join(r.root, recordedFolder, "store-"+version+".tar.gz")
}

// checkRecorded refuses a version whose store was not recorded, was recorded with other migrations than those of the
// program, or that comes after a version whose recorded store is gone.
func (r release) checkRecorded(program string) (string, error) {
	if !released.MatchString(r.version) {
		return "not asked for: " + r.version + " is no released version", nil
	}
	earlier, err := r.findRecorded()
	if err != nil {
		return "", err
	}
	want, err := migrationsOf(func(dir string) error { return serveOnce(program, dir) })
	if err != nil {
		return "", err
	}
	got, err := migrationsOf(func(dir string) error { return unpackFile(r.recorded(r.version), dir) })
	if err != nil {
		return "", err
	}
	if !slices.Equal(got, want) || len(want) == 0 {
		return "", fmt.Errorf("%s has other migrations than the program: %q", r.recorded(r.version), differing(got, want))
	}
	return fmt.Sprintf("%d migrations, those of the program; %d earlier versions have theirs", len(got), len(earlier)), nil
}

// findRecorded wants a recorded store of this version and of each earlier one, which it returns. It needs no program,
// so that make release says what is missing before it builds for minutes.
func (r release) findRecorded() (earlier []string, err error) {
	if !released.MatchString(r.version) {
		return nil, nil
	}
	if earlier, err = r.tagged(); err != nil {
		return nil, err
	}
	for _, version := range append(slices.Clone(earlier), r.version) {
		if _, err := os.Stat(r.recorded(version)); err != nil {
			return nil, fmt.Errorf("%w: make record-store VERSION=%s writes it, from the sources of that version", err, version)
		}
	}
	return earlier, nil
}

// tagged are the versions that were released from this repository. Sources without its history have none to show.
func (r release) tagged() (versions []string, err error) {
	if _, err := os.Stat(filepath.Join(r.root, ".git")); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	c := exec.Command("git", "tag", "--list", "v*")
	c.Dir = r.root
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("git tag: %w", err)
	}
	for tag := range strings.FieldsSeq(string(out)) {
		if version := strings.TrimPrefix(tag, "v"); version != r.version && released.MatchString(version) {
			versions = append(versions, version)
		}
	}
	return versions, nil
}

// migrationsOf are the migrations of a database that fill has put into an empty folder, in order.
func migrationsOf(fill func(dir string) error) (steps []string, err error) {
	dir, err := os.MkdirTemp("", "stoa-release-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := fill(dir); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, database.FileName)); err != nil {
		return nil, err
	}
	ctx := context.Background()
	db, err := database.Open(ctx, database.Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return database.All(ctx, db, func(s database.Scanner) (step string, err error) {
		var module, name, checksum string
		var version int64
		err = s.Scan(&module, &version, &name, &checksum)
		return fmt.Sprintf("%s %04d %s %s", module, version, name, checksum), err
	}, `SELECT module, version, name, checksum FROM stoa_migrations ORDER BY module, version`)
}

func unpackFile(path, dir string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return untarInto(text, dir)
}

// differing are the steps that only one of two histories has.
func differing(a, b []string) (steps []string) {
	for _, one := range [][2][]string{{a, b}, {b, a}} {
		for _, step := range one[0] {
			if !slices.Contains(one[1], step) {
				steps = append(steps, step)
			}
		}
	}
	return steps
}

// record writes the store that a program leaves after a demo world. One that is there stays as it is: it is what people
// have.
func (r release) record(program string) error {
	if !released.MatchString(r.version) {
		return fmt.Errorf("VERSION=%s is no released version; say VERSION=1.2.3", r.version)
	}
	path := r.recorded(r.version)
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s is there; delete it first if the version was never released", path)
	}
	out, err := exec.Command(program, "version").CombinedOutput()
	if err != nil || !strings.Contains(string(out), r.version) {
		return fmt.Errorf("%s is not version %s: %w: %s", program, r.version, err, out)
	}
	dir, err := os.MkdirTemp("", "stoa-release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := serveOnce(program, dir); err != nil {
		return err
	}
	text, err := packFolder(dir)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, text, 0o644); err != nil { //nolint:gosec // it is published
		return err
	}
	said, err := r.checkRecorded(program)
	if err != nil {
		return errors.Join(err, os.Remove(path))
	}
	fmt.Printf("%s: %d bytes, %s\n", path, len(text), said)
	return nil
}

// maxServing is how long a demo world may take to be made, and the server to stop.
const maxServing = 2 * time.Minute

// serveOnce lets a program make a demo world in a folder, and stops it.
func serveOnce(program, dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), maxServing)
	defer cancel()
	c := exec.CommandContext(ctx, program, "serve", "--demo", "--data", dir, "--listen", "127.0.0.1:0")
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	var log bytes.Buffer
	c.Stderr, c.WaitDelay = &log, maxServing
	stdout, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	ready := false
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if !ready && strings.HasPrefix(lines.Text(), "ready ") {
			ready = true
			if err := c.Process.Signal(os.Interrupt); err != nil {
				return err
			}
		}
	}
	err = errors.Join(c.Wait(), ctx.Err())
	if !ready {
		err = errors.Join(err, errors.New("it never was ready"))
	}
	if err != nil {
		return fmt.Errorf("stoa serve --demo made no world: %w: %s", err, log.Bytes())
	}
	return nil
}

// ofThisMachine are files that each start writes anew, and locks.
var ofThisMachine = regexp.MustCompile(`(^|/)(ca-bundle\.pem|listen\.[a-z]+|.*\.lock)$`)

// packFolder is a tar file of a folder. What is of no use elsewhere is left out, and so are sockets.
func packFolder(dir string) ([]byte, error) {
	var files []file
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		f := file{name: filepath.ToSlash(name), mode: int64(info.Mode().Perm())}
		switch {
		case ofThisMachine.MatchString(f.name), !d.IsDir() && !info.Mode().IsRegular():
			return nil
		case info.Mode().IsRegular():
			if f.text, err = os.ReadFile(path); err != nil {
				return err
			}
			f.text = append([]byte{}, f.text...)
		}
		files = append(files, f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	text, err := tarred(files, 0)
	if err != nil {
		return nil, err
	}
	return compressed(text)
}
