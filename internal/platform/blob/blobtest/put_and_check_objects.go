package blobtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/clock"
)

// bench is one test's store with its clock.
type bench struct {
	blob.Store
	clock  *clock.Virtual
	reopen func() blob.Store
}

func (b *bench) put(t *testing.T, key, text string, o blob.PutOptions) blob.Info {
	t.Helper()
	info, err := b.Put(t.Context(), key, strings.NewReader(text), o)
	if err != nil {
		t.Fatalf("Put(%s) = %v", key, err)
	}
	return info
}

// holds fails unless key has exactly these bytes, and Open, Stat and want agree about it.
func (b *bench) holds(t *testing.T, key string, text []byte, want blob.Info) {
	t.Helper()
	r, info, err := b.Open(t.Context(), key)
	if err != nil {
		t.Fatalf("Open(%s) = %v", key, err)
	}
	got, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatalf("read %s: %v", key, err)
	}
	if !bytes.Equal(got, text) {
		t.Fatalf("%s holds %d bytes %.40q, want %d bytes %.40q", key, len(got), got, len(text), text)
	}
	if diff := cmp.Diff(want, info); diff != "" {
		t.Errorf("Open's info (-want +got):\n%s", diff)
	}
	stat, err := b.Stat(t.Context(), key)
	if err != nil {
		t.Fatalf("Stat(%s) = %v", key, err)
	}
	if diff := cmp.Diff(want, stat); diff != "" {
		t.Errorf("Stat's info (-want +got):\n%s", diff)
	}
}

func (b *bench) missing(t *testing.T, key string) {
	t.Helper()
	if r, _, err := b.Open(t.Context(), key); !errors.Is(err, blob.ErrNotFound) || r != nil {
		t.Errorf("Open(%s) = %v, %v, want ErrNotFound", key, r, err)
	}
	if _, err := b.Stat(t.Context(), key); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Stat(%s) = %v, want ErrNotFound", key, err)
	}
}

func (b *bench) keys(t *testing.T, prefix, after string, limit int) []string {
	t.Helper()
	found, err := b.List(t.Context(), prefix, after, limit)
	if err != nil {
		t.Fatalf("List(%q, %q, %d) = %v", prefix, after, limit, err)
	}
	keys := []string{}
	for _, info := range found {
		keys = append(keys, info.Key)
	}
	return keys
}

func (b *bench) sweep(t *testing.T, want int) {
	t.Helper()
	got, err := b.Sweep(t.Context(), b.clock.Now())
	if err != nil {
		t.Fatalf("Sweep = %v", err)
	}
	if got != want {
		t.Errorf("Sweep = %d, want %d", got, want)
	}
}

func info(key, text, contentType string, expires time.Time) blob.Info {
	return blob.Info{
		Key: key, Size: int64(len(text)), SHA256: sha256.Sum256([]byte(text)), ContentType: contentType,
		Modified: start(), Expires: expires,
	}
}

var errSource = errors.New("the source broke")

// breaking gives text and then fails.
func breaking(text string) io.Reader {
	return io.MultiReader(strings.NewReader(text), readerFunc(func([]byte) (int, error) { return 0, errSource }))
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
