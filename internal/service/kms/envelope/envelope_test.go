package envelope

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/platform/ids"
)

// TestVectors are the ones C2SP publishes for XAES-256-GCM: one for each value
// of the carry in the subkey's doubling.
func TestVectors(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		key        byte
		data, want string
	}{
		"no carry": {1, "", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"},
		"carry":    {3, "c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newXAES(bytes.Repeat([]byte{row.key}, KeySize))
			nonce, plain := []byte("ABCDEFGHIJKLMNOPQRSTUVWX"), []byte("XAES-256-GCM")
			got := x.seal(nil, nonce, plain, []byte(row.data))
			if hex.EncodeToString(got) != row.want {
				t.Errorf("seal = %x, want %s", got, row.want)
			}
			back, err := x.open(nil, nonce, got, []byte(row.data))
			if err != nil || !bytes.Equal(back, plain) {
				t.Errorf("open = %q, %v; want %q", back, err, plain)
			}
		})
	}
}

func key(t testing.TB, random io.Reader) *Key {
	t.Helper()
	k, err := NewKey(bytes.Repeat([]byte{7}, KeySize), random)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	k := key(t, ids.Random())
	rapid.Check(t, func(t *rapid.T) {
		plain := rapid.SliceOfN(rapid.Byte(), 0, 1200).Draw(t, "plain")
		data := rapid.SliceOfN(rapid.Byte(), 0, 64).Draw(t, "data")
		sealed, err := k.Seal(plain, data)
		if err != nil || len(sealed) != len(plain)+Overhead {
			t.Fatalf("Seal = %d bytes, %v; want %d", len(sealed), err, len(plain)+Overhead)
		}
		got, err := k.Open(sealed, data)
		if err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("Open = %x, %v; want %x", got, err, plain)
		}
		if _, err := k.Open(sealed, append(data, 0)); !errors.Is(err, ErrOpen) {
			t.Fatalf("Open with other data = %v, want ErrOpen", err)
		}
	})
}

func TestEveryFlippedBitIsRefused(t *testing.T) {
	t.Parallel()
	k := key(t, ids.Random())
	sealed, err := k.Seal(bytes.Repeat([]byte{1}, 32), []byte("data"))
	if err != nil {
		t.Fatal(err)
	}
	for bit := range len(sealed) * 8 {
		bad := bytes.Clone(sealed)
		bad[bit/8] ^= 1 << (bit % 8)
		if _, err := k.Open(bad, []byte("data")); !errors.Is(err, ErrOpen) {
			t.Errorf("bit %d flipped: %v, want ErrOpen", bit, err)
		}
	}
	for n := range sealed {
		if _, err := k.Open(sealed[:n], []byte("data")); !errors.Is(err, ErrOpen) {
			t.Errorf("cut to %d bytes: %v, want ErrOpen", n, err)
		}
	}
}

func TestKeysAreBoundToTheirSize(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 16, 31, 33} {
		if _, err := NewKey(make([]byte, n), ids.Random()); !errors.Is(err, ErrKeySize) {
			t.Errorf("%d bytes: %v, want ErrKeySize", n, err)
		}
	}
}

// stuck is a generator that gives the same bytes for ever.
type stuck struct{}

func (stuck) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestForkedState restores one state twice under a generator that repeats
// itself: two different messages at the same count still get two nonces.
func TestForkedState(t *testing.T) {
	t.Parallel()
	one, two := key(t, stuck{}), key(t, stuck{})
	seen := map[string]string{}
	for i := range 1000 {
		for _, k := range []struct {
			key  *Key
			text string
		}{{one, "one " + strconv.Itoa(i)}, {two, "two " + strconv.Itoa(i)}} {
			sealed, err := k.key.Seal([]byte(k.text), nil)
			if err != nil {
				t.Fatal(err)
			}
			nonce := string(Nonce(sealed))
			if other, ok := seen[nonce]; ok {
				t.Fatalf("%q and %q share a nonce", other, k.text)
			}
			seen[nonce] = k.text
		}
	}
	a, _ := one.Seal([]byte("same"), nil)
	b, _ := one.Seal([]byte("same"), nil)
	if bytes.Equal(Nonce(a), Nonce(b)) {
		t.Error("the counter does not separate equal messages of one process")
	}
}

// TestNoncesNeverRepeat seals the same message over and over, from two
// goroutines. STOA_KMS_NONCES raises the number.
func TestNoncesNeverRepeat(t *testing.T) {
	t.Parallel()
	total := 100_000
	if text := os.Getenv("STOA_KMS_NONCES"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		total = n
	}
	k := key(t, ids.Random())
	plain := make([]byte, 32)
	lists := make([][][nonceSize]byte, 2)
	var group sync.WaitGroup
	for i := range lists {
		group.Go(func() {
			lists[i] = make([][nonceSize]byte, 0, total/2)
			for range total / 2 {
				sealed, err := k.Seal(plain, nil)
				if err != nil {
					t.Error(err)
					return
				}
				lists[i] = append(lists[i], [nonceSize]byte(Nonce(sealed)))
			}
		})
	}
	group.Wait()
	seen := make(map[[nonceSize]byte]struct{}, total)
	halves := make(map[[half]byte]struct{}, total)
	for _, list := range lists {
		for _, n := range list {
			seen[n] = struct{}{}
			halves[[half]byte(n[:half])] = struct{}{}
		}
	}
	if len(seen) != total {
		t.Errorf("%d different nonces in %d messages", len(seen), total)
	}
	if len(halves) != total {
		t.Errorf("%d different derived keys in %d messages", len(halves), total)
	}
	t.Logf("%d messages, no nonce and no derived key twice", total)
}

func BenchmarkSeal(b *testing.B) {
	k := key(b, ids.Random())
	plain := make([]byte, 32)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := k.Seal(plain, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	k := key(b, ids.Random())
	sealed, err := k.Seal(make([]byte, 32), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := k.Open(sealed, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// Nonce is the part of a sealed message that must never repeat under one key.
func Nonce(sealed []byte) []byte {
	if len(sealed) < Overhead {
		return nil
	}
	return sealed[1 : 1+nonceSize]
}
