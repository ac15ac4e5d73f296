package source

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"testing"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// TestArchivesOfStrangers: archives that are small packed and large unpacked
// are read as far as is worth it.
func TestArchivesOfStrangers(t *testing.T) {
	t.Parallel()
	t.Run("a module of license files", func(t *testing.T) {
		t.Parallel()
		var packed bytes.Buffer
		w := zip.NewWriter(&packed)
		blank := bytes.Repeat([]byte("x "), 1<<10)
		for i := range 100 {
			text := blank
			if i == 99 {
				text = []byte("Licensed under the Apache License, Version 2.0")
			}
			part, err := w.Create(fmt.Sprintf("example.com/m@v1.0.0/LICENSE-%d", i))
			if err == nil {
				_, err = part.Write(text)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := scanLicenses(packed.Bytes(), "example.com/m@v1.0.0/")
		if err != nil || len(got) != 1 || got[0].SPDX != catalog.NonStandard {
			t.Errorf("%v, %v, want what the first few files say, a non-standard license", got, err)
		}
	})
	t.Run("an archive of manifests", func(t *testing.T) {
		t.Parallel()
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		w := tar.NewWriter(z)
		manifest := append([]byte(`{"name":"x","version":"1.0.0","description":"`), bytes.Repeat([]byte("x"), 1<<19)...)
		manifest = append(manifest, `"}`...)
		for i := range 20 {
			err := w.WriteHeader(&tar.Header{
				Name: fmt.Sprintf("package/node_modules/x%d/package.json", i), Typeflag: tar.TypeReg, Mode: 0o600,
				Size: int64(len(manifest)),
			})
			if err == nil {
				_, err = w.Write(manifest)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w.Close(), z.Close()); err != nil {
			t.Fatal(err)
		}
		got, err := bundledManifests(t.Context(), packed.Bytes())
		if err != nil || len(got) == 0 || len(got) > 10 {
			t.Errorf("%d manifests, %v, want the first few", len(got), err)
		}
	})
}
