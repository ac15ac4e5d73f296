package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// sample chooses n faults, the same ones for the same seed: each fault's rank is a
// hash of its place, so that an edit elsewhere does not change the choice. The kinds
// take turns.
func sample(all []fault, n int, seed uint64) []fault {
	rank := func(f fault) uint64 {
		h := fnv.New64a()
		fmt.Fprintf(h, "%d %s %s", seed, f.Package, f.ID)
		return h.Sum64()
	}
	byKind := map[string][]fault{}
	for _, f := range all {
		byKind[f.Kind] = append(byKind[f.Kind], f)
	}
	for _, list := range byKind {
		slices.SortFunc(list, func(a, b fault) int { return cmp.Compare(rank(a), rank(b)) })
	}
	var chosen []fault
	for i := 0; len(chosen) < n && i < len(all); i++ {
		for _, kind := range []string{"check", "status", "member"} {
			if i < len(byKind[kind]) && len(chosen) < n {
				chosen = append(chosen, byKind[kind][i])
			}
		}
	}
	return chosen
}

// switches is the file that a package with faults gets: which of them is on.
const switches = `package %s

import "os"

func planted(id string) bool { return os.Getenv("STOA_FAULT") == %s+id }

func plantedInt(id string, other, value int) int {
	if planted(id) {
		return other
	}
	return value
}

func plantedZero[T any](id string, value T) T {
	if planted(id) {
		var zero T
		return zero
	}
	return value
}

var _, _ = plantedInt, plantedZero[int]
`

// name is how the environment names a fault.
func (f fault) name() string { return f.Package + " " + f.ID }

// overlay writes the changed files and returns the file that lists them for the
// compiler. names are the package names by import path.
func overlay(dir string, faults []fault, names map[string]string) (string, error) {
	byFile := map[string][]edit{}
	packages := map[string]string{} // folder to import path
	for _, f := range faults {
		byFile[f.File] = append(byFile[f.File], f.edits...)
		packages[filepath.Dir(f.File)] = f.Package
	}
	replace := map[string]string{}
	put := func(file string, content []byte) error {
		to := filepath.Join(dir, strconv.Itoa(len(replace))+".go")
		replace[file] = to
		return os.WriteFile(to, content, 0o600)
	}
	for file, edits := range byFile {
		source, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		if err := put(file, apply(source, edits)); err != nil {
			return "", err
		}
	}
	for folder, path := range packages {
		text := fmt.Sprintf(switches, names[path], strconv.Quote(path+" "))
		if err := put(filepath.Join(folder, "planted_faults.go"), []byte(text)); err != nil {
			return "", err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, list, 0o600)
}

// apply makes the edits from the back to the front. At one offset an insertion that
// comes later in the list stands further inside.
func apply(source []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(b.from, a.from) })
	for _, e := range edits {
		source = slices.Concat(source[:e.from], []byte(e.text), source[e.to:])
	}
	return source
}
