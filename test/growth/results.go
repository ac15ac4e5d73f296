package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"
)

// results are what the page is made of: each kind as it was measured last.
type results struct {
	Sizes []int64 `json:"sizes"`
	Kinds []grown `json:"kinds"`
}

// grown is one kind of rows at each size.
type grown struct {
	Kind  string     `json:"kind"`
	Day   string     `json:"day"`
	Cores int        `json:"cores"`
	Load  string     `json:"load_average"`
	Sizes []measured `json:"sizes"`
}

// measured is what was seen at one size; times are in nanoseconds.
type measured struct {
	Rows   int64         `json:"rows"`
	Start  time.Duration `json:"start"`
	Backup time.Duration `json:"backup"`
	Disk   int64         `json:"disk"`
	Memory int64         `json:"memory"`
	Calls  []times       `json:"calls"`
}

// times are those of one call.
type times struct {
	Name   string        `json:"name"`
	Middle time.Duration `json:"middle"`
	Worst  time.Duration `json:"p99"`
}

// readResults reads what earlier runs measured. An empty name, or a file that is not there, is
// none.
func readResults(name string, sizes []int64) (results, error) {
	r := results{Sizes: sizes}
	if name == "" {
		return r, nil
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("%s: %w", name, err)
	}
	if !slices.Equal(r.Sizes, sizes) {
		return r, fmt.Errorf("%s was measured with the sizes %v: remove it to measure %v", name, r.Sizes, sizes)
	}
	return r, nil
}

func (r results) write(name string) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o644)
}

// put replaces what was measured of the kind. Kinds stand in the order in which they are
// measured; those that are measured no longer are gone.
func (r *results) put(g grown) {
	all := append(slices.DeleteFunc(r.Kinds, func(old grown) bool { return old.Kind == g.Kind }), g)
	r.Kinds = nil
	for _, k := range kinds() {
		for _, one := range all {
			if one.Kind == k.name {
				r.Kinds = append(r.Kinds, one)
			}
		}
	}
}
