package signing_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/identity/signing"
	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
)

func noService(*world.World, *identity.Identity) module.Module { return module.Module{Name: "device"} }

type claims struct {
	Subject string `json:"sub"`
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func kid(t testing.TB, k *signing.Keys) []string {
	t.Helper()
	public, err := k.Public(context.Background())
	must(t, err)
	var list []string
	for _, p := range public {
		list = append(list, p.ID)
	}
	return list
}

// TestRotation follows the keys of a world through two months.
func TestRotation(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, noService, func(t *testing.T, h *identitytest.Server) {
		ctx := t.Context()
		k, other := signing.New(h.World), signing.New(h.World)
		first, err := k.Sign(ctx, claims{"1"})
		must(t, err)
		one := kid(t, other)
		if len(one) != 1 {
			t.Fatalf("keys = %v, want one that both processes know", one)
		}
		h.Clock.Advance(30 * 24 * time.Hour)
		two := kid(t, k)
		if len(two) != 2 || two[1] != one[0] {
			t.Fatalf("keys = %v, want a new one before %v", two, one)
		}
		signedBy := func(id string) {
			t.Helper()
			token, err := other.Sign(ctx, claims{"1"})
			must(t, err)
			got := claims{}
			must(t, k.Verify(ctx, token, &got))
			if got.Subject != "1" || !strings.Contains(headerOf(t, token), id) {
				t.Errorf("token %s of %+v, want one of key %s", headerOf(t, token), got, id)
			}
		}
		signedBy(one[0])
		h.Clock.Advance(24 * time.Hour)
		signedBy(two[0])
		must(t, k.Verify(ctx, first, &claims{})) // the old key is still published
		h.Clock.Advance(29 * 24 * time.Hour)
		if three := kid(t, other); len(three) != 2 || three[1] != two[0] {
			t.Errorf("keys = %v, want a third and %s", three, two[0])
		}
		if err := k.Verify(ctx, first, &claims{}); !errors.Is(err, signing.ErrToken) {
			t.Errorf("a token of the key that is gone: %v", err)
		}
	})
}

// TestOneKey: however many ask at once, one key is made.
func TestOneKey(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, noService, func(t *testing.T, h *identitytest.Server) {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if _, err := signing.New(h.World).Sign(t.Context(), claims{"1"}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := kid(t, signing.New(h.World)); len(got) != 1 {
			t.Errorf("%d keys, want one", len(got))
		}
	})
}

// TestForgery: what was not signed here, or was changed, is refused.
func TestForgery(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, noService)
	ctx := t.Context()
	k := signing.New(h.World)
	token, err := k.Sign(ctx, claims{"1"})
	must(t, err)
	foreign, err := signing.New(identitytest.SQLite(t, noService).World).Sign(ctx, claims{"1"})
	must(t, err)
	parts := strings.Split(token, ".")
	const none = "eyJhbGciOiJub25lIn0"                   // {"alg":"none"}
	const symmetric = "eyJhbGciOiJIUzI1NiIsImtpZCI6IiJ9" // {"alg":"HS256","kid":""}
	for name, forged := range map[string]string{
		"of another world":  foreign,
		"unsigned":          none + "." + parts[1] + ".",
		"symmetric":         symmetric + "." + parts[1] + "." + parts[2],
		"changed claims":    parts[0] + ".eyJzdWIiOiIyIn0." + parts[2],
		"without signature": parts[0] + "." + parts[1] + ".",
		"two parts":         parts[0] + "." + parts[1],
		"four parts":        token + "." + parts[2],
		"empty":             "",
		"large":             token + strings.Repeat("A", 20_000),
	} {
		if err := k.Verify(ctx, forged, &claims{}); !errors.Is(err, signing.ErrToken) {
			t.Errorf("%s: %v, want ErrToken", name, err)
		}
	}
	must(t, k.Verify(ctx, token, &claims{}))
}

// TestPrivateKeysAreSealed: the files of a world hold no private key that opens.
func TestPrivateKeysAreSealed(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, noService)
	_, err := signing.New(h.World).Sign(t.Context(), claims{"1"})
	must(t, err)
	id := kid(t, signing.New(h.World))[0]
	// The object identifier of RSA keys, as every encoded private key has it.
	oid := []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01}
	seen := false
	for _, name := range files(t, h.World.Dir) {
		raw, err := os.ReadFile(name)
		must(t, err)
		seen = seen || bytes.Contains(raw, []byte(id))
		if filepath.Ext(name) != ".pem" && bytes.Contains(raw, oid) {
			t.Errorf("%s holds an RSA key in the clear", filepath.Base(name))
		}
	}
	if !seen {
		t.Error("the key's id is in no file, so this test looks at the wrong ones")
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			names = append(names, path)
		}
		return err
	}))
	return names
}

// FuzzVerify: whatever is sent, a refusal is all that happens.
func FuzzVerify(f *testing.F) {
	h := identitytest.SQLite(f, noService)
	k := signing.New(h.World)
	token, err := k.Sign(context.Background(), claims{"1"})
	must(f, err)
	fuzztest.Strings(f, "", ".", "..", "eyJhbGciOiJSUzI1NiJ9..", strings.Repeat(".", 50))
	f.Fuzz(func(t *testing.T, text string) {
		if text == token {
			return
		}
		if err := k.Verify(t.Context(), text, &claims{}); !errors.Is(err, signing.ErrToken) {
			t.Fatalf("%q: %v", text, err)
		}
	})
}

func headerOf(t testing.TB, token string) string {
	t.Helper()
	first, _, _ := strings.Cut(token, ".")
	raw, err := base64.RawURLEncoding.DecodeString(first)
	must(t, err)
	return string(raw)
}
