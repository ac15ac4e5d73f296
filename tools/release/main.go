package main

import (
	"crypto"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// release is one run.
type release struct {
	version, out, root string
	targets            []target
}

// target is a system that a binary is built for.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

func (t target) binary() string {
	if t.os == "windows" {
		return "stoa.exe"
	}
	return "stoa"
}

func main() {
	version := flag.String("version", "0.0.0", "version of the release, without a v")
	out := flag.String("out", "bin/release", "folder to write to")
	targets := flag.String("targets",
		"linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64", "systems to build for")
	try := flag.Bool("try", false, "make nothing, and use what was made")
	record := flag.Bool("record-store", false, "make nothing but the recorded store of the version")
	recorded := flag.Bool("recorded", false, "make nothing, and check that the store of the version was recorded")
	found := flag.Bool("found-store", false, "make nothing, and check that there is a recorded store of the version")
	system := flag.String("system", "", "with -try: folder of a clean Debian that the package may be installed in")
	flag.Parse()
	r := release{version: strings.TrimPrefix(*version, "v"), out: *out, root: "."}
	for name := range strings.SplitSeq(*targets, ",") {
		system, arch, ok := strings.Cut(name, "/")
		if !ok {
			fail(fmt.Errorf("%q is not OS/ARCH", name))
		}
		r.targets = append(r.targets, target{system, arch})
	}
	run := r.run
	switch {
	case *try:
		run = trial{r, os.Getenv("RELEASE_KEY"), *system}.run
	case *record:
		run = func() error { return r.record(ownBinary) }
	case *recorded:
		run = r.sayRecorded
	case *found:
		run = func() error {
			_, err := r.findRecorded()
			return err
		}
	}
	if err := run(); err != nil {
		fail(err)
	}
}

// ownBinary is what make build made of the same sources.
const ownBinary = "bin/stoa"

// sayRecorded checks the recorded store, and says what it has seen.
func (r release) sayRecorded() error {
	said, err := r.checkRecorded(ownBinary)
	if err != nil {
		return fmt.Errorf("recorded store: %w", err)
	}
	fmt.Println("recorded store:", said)
	return nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "release:", err)
	os.Exit(1)
}

func (r release) run() error {
	if err := r.sayRecorded(); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	for _, t := range r.targets {
		path := filepath.Join(r.out, "build", t.os+"_"+t.arch, t.binary())
		fmt.Println("building", t)
		if err := r.build(t, path); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		if err := r.pack(t, path); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	if err := r.addSmall(); err != nil {
		return err
	}
	if err := r.writeFormula(); err != nil {
		return err
	}
	return r.sign(os.Getenv("RELEASE_KEY"))
}

// build compiles the static binary. The engine of local models travels in those for Linux:
// elsewhere nothing could run it.
func (r release) build(t target, path string) error {
	if t.os == "linux" {
		return r.compile("full", t, path)
	}
	return r.compile("plain", t, path)
}

// addSmall makes the archives of the small build, for the systems that images and packages
// are made for.
func (r release) addSmall() error {
	for _, t := range r.targets {
		if t.os != "linux" {
			continue
		}
		path := filepath.Join(r.out, "build", "small_"+t.arch, t.binary())
		fmt.Println("building", t, "small")
		if err := r.compile("small", t, path); err != nil {
			return fmt.Errorf("%s small: %w", t, err)
		}
		files, err := r.contents(t, path)
		if err != nil {
			return err
		}
		if err := r.writeArchive(target{t.os, t.arch + "_small"}, files); err != nil {
			return err
		}
	}
	return nil
}

// compile builds one kind of the binary as make build does.
func (r release) compile(kind string, t target, path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	c := exec.Command("tools/binary.sh", kind, r.version, "-o", path)
	c.Dir, c.Stdout, c.Stderr = r.root, os.Stdout, os.Stderr
	c.Env = append(os.Environ(), "GOOS="+t.os, "GOARCH="+t.arch)
	if err := c.Run(); err != nil {
		return err
	}
	return checkSize(kind, path)
}

// pack makes what is downloaded for one system.
func (r release) pack(t target, binary string) error {
	files, err := r.contents(t, binary)
	if err != nil {
		return err
	}
	if err := r.writeArchive(t, files); err != nil || t.os != "linux" {
		return err
	}
	if err := r.writePackage(t, files); err != nil {
		return err
	}
	return r.writeImage(t, files)
}

// sign writes the checksums and, with a key, a signature over them.
func (r release) sign(keyFile string) error {
	names, err := r.made()
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(r.out, name))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		fmt.Fprintf(&sums, "%s  %s\n", hex.EncodeToString(sum[:]), name)
	}
	path := filepath.Join(r.out, "checksums.txt")
	if err := os.WriteFile(path, []byte(sums.String()), 0o644); err != nil { //nolint:gosec // it is published
		return err
	}
	fmt.Printf("%d files in %s\n", len(names), r.out)
	if keyFile == "" {
		fmt.Println("not signed: RELEASE_KEY names no key file")
		return nil
	}
	key, err := readKey(keyFile)
	if err != nil {
		return err
	}
	signature, err := key.Sign(nil, []byte(sums.String()), crypto.Hash(0))
	if err != nil {
		return err
	}
	text := base64.StdEncoding.EncodeToString(signature) + "\n"
	return os.WriteFile(path+".sig", []byte(text), 0o644) //nolint:gosec // it is published
}

// made lists what is published besides the checksums themselves.
func (r release) made() ([]string, error) {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() && !strings.HasPrefix(e.Name(), "checksums.txt") {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func readKey(path string) (ed25519.PrivateKey, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New(path + " is not PEM")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	private, ok := key.(ed25519.PrivateKey)
	if !ok {
		return nil, errors.New(path + " is not an Ed25519 key")
	}
	return private, nil
}
