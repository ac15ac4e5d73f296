package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// archives unpacks each and sees that its binary is for its system and within its bound; that of this system is run.
func (t trial) archives() (string, error) {
	var said []string
	for _, system := range t.targets {
		for _, kind := range []string{"full", "small"} {
			if kind == "small" && system.os != "linux" {
				continue
			}
			size, err := t.archive(system, kind)
			if err != nil {
				return "", fmt.Errorf("%s %s: %w", system, kind, err)
			}
			said = append(said, fmt.Sprintf("%s %s %d bytes", system, kind, size))
		}
	}
	return strings.Join(said, ", "), nil
}

func (t trial) archive(system target, kind string) (size int64, err error) {
	base := fmt.Sprintf("stoa_%s_%s_%s", t.version, system.os, system.arch)
	if kind == "small" {
		base += "_small"
	}
	dir, err := os.MkdirTemp("", "stoa-release-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := t.unpack(base, system, dir); err != nil {
		return 0, err
	}
	binary := filepath.Join(dir, base, system.binary())
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return 0, err
	}
	built := map[string]string{}
	for _, s := range info.Settings {
		built[s.Key] = s.Value
	}
	if got := built["GOOS"] + "/" + built["GOARCH"]; got != system.String() {
		return 0, fmt.Errorf("the binary is for %s", got)
	}
	if err := checkSize(kind, binary); err != nil {
		return 0, err
	}
	if system.here() {
		if err := t.serve(binary); err != nil {
			return 0, err
		}
	}
	about, err := os.Stat(binary)
	if err != nil {
		return 0, err
	}
	return about.Size(), nil
}

// recordedStore compares the store that is kept for later versions with what the binary of this system makes.
func (t trial) recordedStore() (said string, err error) {
	here := slices.IndexFunc(t.targets, target.here)
	if here < 0 {
		return "not looked at: there is no archive for this system", nil
	}
	system := t.targets[here]
	dir, err := os.MkdirTemp("", "stoa-release-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	base := fmt.Sprintf("stoa_%s_%s_%s", t.version, system.os, system.arch)
	if err := t.unpack(base, system, dir); err != nil {
		return "", err
	}
	return t.checkRecorded(filepath.Join(dir, base, system.binary()))
}

// serve runs a command beside a demo world of the binary, and asks for the version.
func (t trial) serve(binary string) error {
	out, err := exec.Command(binary, "version").CombinedOutput()
	if err != nil || !strings.Contains(string(out), t.version) {
		return fmt.Errorf("stoa version: %w: %s", err, out)
	}
	out, err = exec.Command(binary, "exec", "--", "sh", "-c",
		`curl -fsS -H "Authorization: Bearer $STOA_TOKEN" "$STOA_URL/tasks/v1/users/@me/lists"`).CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"items"`) {
		return fmt.Errorf("stoa exec: %w: %s", err, out)
	}
	return nil
}

// unpack writes the files of an archive below a folder.
func (t trial) unpack(base string, system target, dir string) error {
	if system.os != "windows" {
		text, err := t.read(base + ".tar.gz")
		if err != nil {
			return err
		}
		return untarInto(text, dir)
	}
	text, err := t.read(base + ".zip")
	if err != nil {
		return err
	}
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return err
	}
	for _, f := range z.File {
		content, err := f.Open()
		if err != nil {
			return err
		}
		if err := place(dir, f.Name, f.Mode(), content); err != nil {
			return err
		}
	}
	return nil
}

// untarInto writes the files of a compressed tar file below a folder.
func untarInto(text []byte, dir string) error {
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return err
	}
	for in := tar.NewReader(z); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(filepath.Join(dir, h.Name), 0o755)
		} else {
			err = place(dir, h.Name, os.FileMode(h.Mode).Perm(), in)
		}
		if err != nil {
			return err
		}
	}
}

// place writes one file. Names are our own.
func place(dir, name string, mode os.FileMode, content io.Reader) error {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	text, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, mode|0o600)
}
