package source

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// What an archive of npm bundles is bounded, whatever it holds.
func FuzzNPMArchive(f *testing.F) {
	fuzztest.Bytes(f,
		npmOf(f, map[string]string{"package/node_modules/a/package.json": `{"name":"a","version":"1","dependencies":{"b":"^1"}}`}),
		npmOf(f, map[string]string{"package/node_modules/@s/a/package.json": `[`, "package/package.json": `{}`}),
		npmOf(f, map[string]string{"../node_modules/a/package.json": `{}`}), []byte("\x1f\x8b\x08"), []byte{},
	)
	f.Fuzz(func(t *testing.T, archive []byte) {
		list, err := bundledManifests(t.Context(), archive)
		if len(list) > maxBundled {
			t.Errorf("%d packages, %v", len(list), err)
		}
		for _, b := range list {
			if !strings.Contains(b.Path, "node_modules/") {
				t.Errorf("the path %q", b.Path)
			}
		}
	})
}

// The licenses of a module's archive are named, or the archive is refused.
func FuzzModuleZip(f *testing.F) {
	const root = "example.org/a@v1.0.0/"
	// The first reads what licenses say: a worker that takes ten seconds for an input is taken for one that hangs.
	if _, err := scanLicenses(zipOf(f, root+"LICENSE", "Permission is hereby granted, free of charge"), root); err != nil {
		f.Fatal(err)
	}
	fuzztest.Bytes(f,
		zipOf(f, root+"LICENSE", "Permission is hereby granted, free of charge, to any person"),
		zipOf(f, root+"COPYING.md", "\xff\x00"), zipOf(f, "LICENSE", "x"),
		[]byte("PK\x05\x06"), []byte{},
	)
	f.Fuzz(func(t *testing.T, archive []byte) {
		list, err := scanLicenses(archive, root)
		for _, l := range list {
			if l.SPDX == "" || err != nil {
				t.Errorf("got %+v, %v", l, err)
			}
		}
	})
}

// Core metadata is read line by line, and gives no more than it holds.
func FuzzCoreMetadata(f *testing.F) {
	fuzztest.Strings(f,
		"Metadata-Version: 2.1\nName: a\nRequires-Dist: b (>=1) ; extra == 'x'\nLicense: MIT\n continued\n\nbody",
		"\r\n:\n", "Classifier:\nproject-url: x", "Requires-Dist: "+strings.Repeat("(", 3000))
	f.Fuzz(func(t *testing.T, text string) {
		m := parseMetadata(text)
		if n := len(m.requires) + len(m.classifiers) + len(m.urls); n > strings.Count(text, "\n")+1 {
			t.Errorf("%q gives %d values", text, n)
		}
		for _, line := range m.requires {
			pypiRequirement(line)
		}
	})
}

func npmOf(f *testing.F, files map[string]string) []byte {
	f.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, text := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Size: int64(len(text)), Mode: 0o600}); err != nil {
			f.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			f.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	if err := z.Close(); err != nil {
		f.Fatal(err)
	}
	return b.Bytes()
}

func zipOf(f *testing.F, name, text string) []byte {
	f.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err != nil {
		f.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		f.Fatal(err)
	}
	if err := z.Close(); err != nil {
		f.Fatal(err)
	}
	return b.Bytes()
}

// Any attestations are listed, unverified, or refused as garbage.
func FuzzAttestations(f *testing.F) {
	fuzztest.Bytes(f,
		[]byte(`{"attestations":[{"predicateType":"https://slsa.dev/provenance/v1","bundle":{"dsseEnvelope":{"payload":"e30="}}},{"bundle":null}]}`),
		[]byte(`{"attestation_bundles":[{"publisher":{"kind":"GitHub","repository":"a/b"},"attestations":[{"verification_material":{"certificate":"MAA=","transparency_entries":[{}]},"envelope":{"statement":"e30=","signature":"AA=="}}]}]}`),
		[]byte(`{"attestations":[[]]}`), []byte(`{}`), []byte(`[`),
	)
	f.Fuzz(func(t *testing.T, body []byte) {
		one, err1 := (&npmSource{}).readAttestations(t.Context(), body, "https://registry.example/a", nil)
		two, err2 := (&pypiSource{}).readProvenance(t.Context(), body, "https://registry.example/a", catalog.Artifact{})
		for _, err := range []error{err1, err2} {
			var garbage *GarbageError
			if err != nil && !errors.As(err, &garbage) {
				t.Errorf("%q: got %T %v, want a *GarbageError", body, err, err)
			}
		}
		for _, a := range append(one, two...) {
			if a.Verified {
				t.Errorf("%q: got %+v without a verifier", body, a)
			}
		}
	})
}
