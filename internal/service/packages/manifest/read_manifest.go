package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// Format is a kind of file that names packages.
type Format string

// The formats that are recognised.
const (
	CycloneDX    Format = "CycloneDX"
	SPDX         Format = "SPDX"
	PackageLock  Format = "package-lock"
	GoSum        Format = "go.sum"
	CargoLock    Format = "Cargo.lock"
	Requirements Format = "requirements"
	POM          Format = "pom"
	List         Format = "list"
)

// ErrUnknown means that the file is in none of the formats.
var ErrUnknown = errors.New("the file is none of: CycloneDX or SPDX (JSON), package-lock, go.sum, Cargo.lock, requirements.txt, pom.xml, a list of package URLs")

// Fault is a line of a list that names no package.
type Fault struct {
	Line   int64  `json:"line"`
	Reason string `json:"reason"`
}

// maxFaults is how many such lines a list may have.
const maxFaults = 10_000

// Read finds the packages that a file names, each once, in their order. A key
// without a version stands for the package as a whole.
func Read(name string, text []byte) (Format, []catalog.VersionKey, []Fault, error) {
	format, read := recognise(filepath.Base(name), text)
	if read == nil {
		return "", nil, nil, ErrUnknown
	}
	var bad []Fault
	if format == List {
		read = func(text []byte) (keys []catalog.VersionKey, err error) {
			keys, bad = readList(text)
			return keys, nil
		}
	}
	keys, err := read(text)
	if err == nil && len(bad) > maxFaults {
		err = fmt.Errorf("more than %d lines name no package", maxFaults)
	}
	if err != nil {
		return format, nil, nil, fmt.Errorf("%s: %w", format, err)
	}
	seen := map[catalog.VersionKey]bool{}
	list := keys[:0]
	for _, k := range keys {
		k = k.Canonical()
		if k.Package().Check() == nil && !seen[k] {
			seen[k] = true
			list = append(list, k)
		}
	}
	return format, list, bad, nil
}

type reader func([]byte) ([]catalog.VersionKey, error)

func recognise(name string, text []byte) (Format, reader) {
	trimmed := bytes.TrimSpace(text)
	if bytes.HasPrefix(trimmed, []byte("{")) {
		return recogniseJSON(trimmed)
	}
	switch {
	case bytes.HasPrefix(trimmed, []byte("<")) && bytes.Contains(trimmed, []byte("<project")):
		return POM, readPOM
	case name == "go.sum" || bytes.Contains(trimmed, []byte(" h1:")):
		return GoSum, readGoSum
	case bytes.Contains(trimmed, []byte("[[package]]")):
		return CargoLock, readCargoLock
	case bytes.HasPrefix(trimmed, []byte("pkg:")):
		return List, func([]byte) ([]catalog.VersionKey, error) { return nil, nil }
	case strings.HasSuffix(name, ".txt") || strings.HasSuffix(name, ".in"):
		return Requirements, readRequirements
	}
	return "", nil
}

func recogniseJSON(text []byte) (Format, reader) {
	var head struct {
		BOM  string          `json:"bomFormat"`
		SPDX string          `json:"spdxVersion"`
		Lock json.RawMessage `json:"lockfileVersion"`
	}
	if json.Unmarshal(text, &head) != nil {
		return "", nil
	}
	switch {
	case head.BOM == "CycloneDX":
		return CycloneDX, readCycloneDX
	case head.SPDX != "":
		return SPDX, readSPDX
	case head.Lock != nil:
		return PackageLock, readPackageLock
	}
	return "", nil
}

// fromPurl reads a package URL, dropping what look-ups do not want.
func fromPurl(purl string) (catalog.VersionKey, bool) {
	purl, _, _ = strings.Cut(purl, "#")
	purl, _, _ = strings.Cut(purl, "?")
	k, err := catalog.ParsePurl(strings.TrimSpace(purl))
	return k, err == nil
}

func readList(text []byte) ([]catalog.VersionKey, []Fault) {
	var keys []catalog.VersionKey
	var bad []Fault
	n := int64(0)
	for line := range strings.Lines(string(text)) {
		n++
		line, _, _ = strings.Cut(line, " ")
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		k, ok := fromPurl(line)
		if !ok {
			if len(bad) > maxFaults {
				break
			}
			bad = append(bad, Fault{n, fmt.Sprintf("%.200q is not a package URL of a known type", line)})
			continue
		}
		keys = append(keys, k)
	}
	return keys, bad
}
