package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// trial is a run that uses what a release made as people do.
type trial struct {
	release
	// key names the key of the release, or the public one; empty where nothing was signed.
	key string
	// system is a folder with a clean Debian, which the package is installed in and removed from; empty leaves that out.
	system string
}

// run tries everything that can be tried on this system, and says what it has seen.
func (t trial) run() error {
	steps := []struct {
		name string
		try  func() (string, error)
	}{
		{"checksums", t.checksums}, {"signature", t.signature}, {"bill of materials", t.bill}, {"formula", t.formula},
		{"archives", t.archives}, {"recorded store", t.recordedStore}, {"image", t.image}, {"Debian package", t.debianPackage},
	}
	for _, step := range steps {
		said, err := step.try()
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		fmt.Printf("%-18s %s\n", step.name, said)
	}
	return nil
}

func (t trial) read(name string) ([]byte, error) { return os.ReadFile(filepath.Join(t.out, name)) }

// checksums compares every file with its sum, and finds files without one.
func (t trial) checksums() (string, error) {
	text, err := t.read("checksums.txt")
	if err != nil {
		return "", err
	}
	summed := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		want, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			return "", fmt.Errorf("%q is not a sum and a name", line)
		}
		content, err := t.read(name)
		if err != nil {
			return "", err
		}
		if got := sha256.Sum256(content); hex.EncodeToString(got[:]) != want {
			return "", fmt.Errorf("%s is another file than the one that was summed", name)
		}
		summed[name] = true
	}
	names, err := t.made()
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if !summed[name] {
			return "", fmt.Errorf("%s has no sum", name)
		}
	}
	return fmt.Sprintf("%d files have theirs", len(names)), nil
}

// signature verifies the one over the checksums.
func (t trial) signature() (string, error) {
	if t.key == "" {
		return "not looked at: RELEASE_KEY names no key", nil
	}
	public, err := publicKey(t.key)
	if err != nil {
		return "", err
	}
	sums, err := t.read("checksums.txt")
	if err != nil {
		return "", err
	}
	text, err := t.read("checksums.txt.sig")
	if err != nil {
		return "", err
	}
	signature, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || !ed25519.Verify(public, sums, signature) {
		return "", errors.New("it is not that of the key over checksums.txt")
	}
	return "Ed25519, over checksums.txt", nil
}

// publicKey reads it, or takes it of the private one.
func publicKey(path string) (ed25519.PublicKey, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if block, _ := pem.Decode(text); block != nil && block.Type == "PUBLIC KEY" {
		parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
		if public, ok := parsed.(ed25519.PublicKey); ok && err == nil {
			return public, nil
		}
		return nil, fmt.Errorf("%s is not an Ed25519 key: %w", path, err)
	}
	private, err := readKey(path)
	if err != nil {
		return nil, err
	}
	return private.Public().(ed25519.PublicKey), nil
}

// bill reads the bill of materials.
func (t trial) bill() (string, error) {
	text, err := t.read("sbom.json")
	if err != nil {
		return "", err
	}
	var bill struct {
		Format     string `json:"bomFormat"`
		Components []struct{ PURL string }
	}
	if err := json.Unmarshal(text, &bill); err != nil {
		return "", err
	}
	if bill.Format != "CycloneDX" || len(bill.Components) == 0 {
		return "", fmt.Errorf("%q with %d components", bill.Format, len(bill.Components))
	}
	return fmt.Sprintf("CycloneDX with %d components", len(bill.Components)), nil
}

// formula compares the sums in it with the archives.
func (t trial) formula() (string, error) {
	text, err := t.read("stoa.rb")
	if err != nil {
		return "", err
	}
	found := regexp.MustCompile(`url "#\{releases\}/([^"]+)"\s+sha256 "([0-9a-f]+)"`).FindAllSubmatch(text, -1)
	for _, row := range found {
		content, err := t.read(string(row[1]))
		if err != nil {
			return "", err
		}
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != string(row[2]) {
			return "", fmt.Errorf("it has another sum for %s", row[1])
		}
	}
	if want := bytes.Count(text, []byte("url ")); len(found) != want {
		return "", fmt.Errorf("%d of %d addresses have a sum", len(found), want)
	}
	return fmt.Sprintf("names %d archives with their sums", len(found)), nil
}

// here reports whether a binary for the target runs on this machine.
func (t target) here() bool { return t.os == runtime.GOOS && t.arch == runtime.GOARCH }
