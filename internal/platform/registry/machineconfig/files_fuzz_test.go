package machineconfig

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// Settings of other programs name addresses, or nothing; none is made up.
func FuzzSettings(f *testing.F) {
	fuzztest.Strings(f,
		"registry = https://npm.example/\n", "[global]\nindex-url=http://pypi.example/simple\n",
		":sources:\n- https://gems.example\n", "https://a.example,direct|off",
		"[source.crates-io]\nreplace-with = \"m\"\n[source.m]\nregistry = \"sparse+https://c.example/\"\n",
		"[source.crates-io]\nreplace-with='crates-io'\n",
		"<configuration><packageSources><add key=\"a\" value=\"https://n.example\"/></packageSources></configuration>",
		"<settings><mirrors><mirror><url>https://m.example</url><mirrorOf>central</mirrorOf></mirror></mirrors></settings>",
		"<a", "=",
	)
	f.Fuzz(func(t *testing.T, text string) {
		for i, read := range []func(string) []string{
			goProxies, nugetSources, gemSources, webLines, mavenMirrors, cargoSources,
		} {
			for _, address := range read(text) {
				if !strings.HasPrefix(address, "http") && !strings.HasPrefix(address, "sparse+") || len(address) > len(text) {
					t.Errorf("%d: %q gives %q", i, text, address)
				}
			}
		}
		setting(text, "registry")
	})
}

// A library of Maven that is no archive names no repository.
func FuzzDescriptor(f *testing.F) {
	fuzztest.Bytes(f, []byte("PK\x05\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
		[]byte("PK\x03\x04"), []byte{})
	f.Fuzz(func(t *testing.T, jar []byte) {
		name := filepath.Join(t.TempDir(), "x.jar")
		if err := os.WriteFile(name, jar, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, address := range superDescriptor(name) {
			if !strings.HasPrefix(address, "http") {
				t.Errorf("got %q", address)
			}
		}
	})
}
