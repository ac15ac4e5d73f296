package seal_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/seal"
)

func open(t testing.TB, seed uint64) *seal.Box {
	t.Helper()
	b, err := seal.Open(t.TempDir(), "", ids.Seeded(seed))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSealAndOpen(t *testing.T) {
	t.Parallel()
	b := open(t, 1)
	rapid.Check(t, func(t *rapid.T) {
		plain := rapid.SliceOf(rapid.Byte()).Draw(t, "plain")
		aad := rapid.SliceOf(rapid.Byte()).Draw(t, "aad")
		sealed := b.Seal(plain, aad)
		if got, want := len(sealed), len(plain)+seal.Overhead; got != want {
			t.Fatalf("sealed length = %d, want %d", got, want)
		}
		got, err := b.Open(sealed, aad)
		if err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("Open = %x, %v, want %x", got, err, plain)
		}
		if bytes.Equal(sealed, b.Seal(plain, aad)) {
			t.Fatal("two seals of one value are equal")
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	b := open(t, 1)
	plain, aad := []byte("a private key"), []byte("keys/7")
	sealed := b.Seal(plain, aad)

	refuse := func(t *testing.T, box *seal.Box, sealed, aad []byte) {
		t.Helper()
		if got, err := box.Open(sealed, aad); !errors.Is(err, seal.ErrOpen) || got != nil {
			t.Errorf("Open = %q, %v, want ErrOpen", got, err)
		}
	}
	t.Run("every altered byte", func(t *testing.T) {
		t.Parallel()
		for i := range sealed {
			for _, mask := range []byte{1, 0x80, 0xff} {
				altered := bytes.Clone(sealed)
				altered[i] ^= mask
				refuse(t, b, altered, aad)
			}
		}
	})
	t.Run("every shorter and a longer value", func(t *testing.T) {
		t.Parallel()
		for i := range sealed {
			refuse(t, b, sealed[:i], aad)
		}
		refuse(t, b, append(bytes.Clone(sealed), 0), aad)
	})
	t.Run("other additional data", func(t *testing.T) {
		t.Parallel()
		for _, other := range [][]byte{nil, {}, []byte("keys/8"), []byte("keys/70"), []byte("keys/")} {
			refuse(t, b, sealed, other)
		}
	})
	t.Run("another root key", func(t *testing.T) {
		t.Parallel()
		refuse(t, open(t, 2), sealed, aad)
	})
	t.Run("the box of a purpose", func(t *testing.T) {
		t.Parallel()
		refuse(t, b.For("kms"), sealed, aad)
		refuse(t, b, b.For("kms").Seal(plain, aad), aad)
		if got, err := b.For("kms").Open(b.For("kms").Seal(plain, aad), aad); err != nil || !bytes.Equal(got, plain) {
			t.Errorf("Open = %q, %v, want %q", got, err, plain)
		}
	})
}

func TestDerive(t *testing.T) {
	t.Parallel()
	b := open(t, 1)
	if got, want := len(b.Derive("x")), 32; got != want {
		t.Errorf("length = %d, want %d", got, want)
	}
	if !bytes.Equal(b.Derive("x"), b.Derive("x")) {
		t.Error("one purpose gave two keys")
	}
	if bytes.Equal(b.Derive("x"), b.Derive("y")) {
		t.Error("two purposes gave one key")
	}
	if bytes.Equal(b.Derive("x"), open(t, 2).Derive("x")) {
		t.Error("two root keys gave one key")
	}
}

// TestProofKey: copies of one folder open what was sealed before they parted, and take no proof of each other.
func TestProofKey(t *testing.T) {
	t.Parallel()
	b := open(t, 1)
	one, two := b.WithProofSalt("one"), b.WithProofSalt("two")
	if bytes.Equal(one.ProofKey("x"), two.ProofKey("x")) {
		t.Error("two worlds gave one key")
	}
	if !bytes.Equal(one.ProofKey("x"), b.WithProofSalt("one").ProofKey("x")) {
		t.Error("one world gave two keys")
	}
	if bytes.Equal(one.ProofKey("x"), one.ProofKey("y")) || bytes.Equal(one.ProofKey("x"), one.Derive("x")) {
		t.Error("two purposes gave one key")
	}
	if !bytes.Equal(b.ProofKey("x"), b.Derive("x")) {
		t.Error("outside of a lab a proof has another key than before")
	}
	if bytes.Equal(one.For("a").ProofKey("x"), two.For("a").ProofKey("x")) {
		t.Error("boxes of a purpose forget their world")
	}
	if got, err := two.For("a").Open(one.For("a").Seal([]byte("kept"), nil), nil); err != nil || string(got) != "kept" {
		t.Errorf("Open = %q, %v; want what a copy of the world sealed", got, err)
	}
	if one.Check() != b.Check() {
		t.Error("a world has another check value than its root key")
	}
}

func TestBoxHidesItsKey(t *testing.T) {
	t.Parallel()
	b := open(t, 1)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		text := fmt.Sprintf(verb, b)
		// The type's own text, in the verb's clothes; never the fields.
		if len(text) > 80 || strings.Contains(text, "root") || strings.Contains(text, "[") {
			t.Errorf("%s prints %s", verb, text)
		}
	}
}

func BenchmarkSealOpen(bench *testing.B) {
	b := open(bench, 1)
	plain, aad := make([]byte, 32), []byte("keys/7")
	bench.ReportAllocs()
	for bench.Loop() {
		if _, err := b.Open(b.Seal(plain, aad), aad); err != nil {
			bench.Fatal(err)
		}
	}
}
