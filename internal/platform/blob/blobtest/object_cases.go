package blobtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/platform/blob"
)

func testRoundTrip(t *testing.T, b *bench) {
	b.missing(t, "a/b.png")
	got := b.put(t, "a/b.png", "picture", blob.PutOptions{ContentType: "image/png"})
	want := info("a/b.png", "picture", "image/png", time.Time{})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Put's info (-want +got):\n%s", diff)
	}
	b.holds(t, "a/b.png", []byte("picture"), want)

	// Another process sees it too.
	other := &bench{Store: b.reopen(), clock: b.clock}
	other.holds(t, "a/b.png", []byte("picture"), want)

	for range 2 { // Deleting twice is no error.
		if err := b.Delete(t.Context(), "a/b.png"); err != nil {
			t.Fatalf("Delete = %v", err)
		}
		b.missing(t, "a/b.png")
	}
}

func testSizes(t *testing.T, b *bench) {
	for _, size := range []int{0, 1, 15, 16, 17, 4095, 4096, 4097, 32 << 10, 1<<20 - 1, 1 << 20, 1<<20 + 1, 3 << 20} {
		text := bytes.Repeat([]byte("stoablb1"), size/8+1)[:size]
		key := fmt.Sprintf("size/%d", size)
		got := b.put(t, key, string(text), blob.PutOptions{})
		b.holds(t, key, text, info(key, string(text), got.ContentType, time.Time{}))
	}
}

func testKeys(t *testing.T, b *bench) {
	long := strings.Repeat("k", 200)
	good := []string{"a", "A", "a/b", "a/b/c", "a.b", "a..b", "0", "a-b_c=d@e+f", long, long + "/" + long, "objects",
		"tmp/x"}
	for _, key := range good {
		b.put(t, key, "of "+key, blob.PutOptions{})
	}
	for _, key := range good { // After all are there: none hides another.
		b.holds(t, key, []byte("of "+key), info(key, "of "+key, b.stat(t, key).ContentType, time.Time{}))
	}
	bad := []string{
		"", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b", "a/..", ".a", "a/.b", "a b", "a%", "a%b", "a\\b",
		"a\x00b",
		"a\nb", "ä", "a:b", "a*", "a?b", "~a", "a/\xff", strings.Repeat("k", 201), strings.Repeat("k/", 300) + "k",
	}
	for _, key := range bad {
		errs := []error{}
		_, err := b.Put(t.Context(), key, strings.NewReader("x"), blob.PutOptions{})
		errs = append(errs, err)
		_, _, err = b.Open(t.Context(), key)
		errs = append(errs, err)
		_, err = b.Stat(t.Context(), key)
		errs = append(errs, err, b.Delete(t.Context(), key))
		_, err = b.Create(t.Context(), key, blob.UploadOptions{})
		for i, err := range append(errs, err) {
			if !errors.Is(err, blob.ErrKey) {
				t.Errorf("operation %d with key %q = %v, want ErrKey", i, key, err)
			}
		}
	}
}

func (b *bench) stat(t *testing.T, key string) blob.Info {
	t.Helper()
	info, err := b.Stat(t.Context(), key)
	if err != nil {
		t.Fatalf("Stat(%s) = %v", key, err)
	}
	return info
}

func testOptions(t *testing.T, b *bench) {
	right, wrong := sha256.Sum256([]byte("text")), sha256.Sum256([]byte("other"))
	rows := []struct {
		name string
		o    blob.PutOptions
		want error
	}{
		{"exactly the limit", blob.PutOptions{MaxSize: 4}, nil},
		{"one byte too many", blob.PutOptions{MaxSize: 3}, blob.ErrTooLarge},
		{"expected hash", blob.PutOptions{SHA256: &right}, nil},
		{"another hash", blob.PutOptions{SHA256: &wrong}, blob.ErrHash},
	}
	for i, row := range rows {
		key := fmt.Sprintf("options/%d", i)
		_, err := b.Put(t.Context(), key, strings.NewReader("text"), row.o)
		if !errors.Is(err, row.want) {
			t.Errorf("%s: Put = %v, want %v", row.name, err, row.want)
		}
		if row.want != nil {
			b.missing(t, key)
		}
	}
	for _, o := range []blob.PutOptions{{ContentType: "a\nb"}, {ContentType: strings.Repeat("x", 300)}, {MaxSize: -1}} {
		if _, err := b.Put(t.Context(), "options/bad", strings.NewReader(""), o); err == nil {
			t.Errorf("Put with %+v = nil, want an error", o)
		}
	}
}

func testRanges(t *testing.T, b *bench) {
	text := strings.Repeat("0123456789", 10000)
	b.put(t, "range", text, blob.PutOptions{})
	r, _, err := b.Open(t.Context(), "range")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows := []struct {
		offset int64
		whence int
		at     int
		n      int
	}{
		{0, io.SeekStart, 0, 10},
		{99990, io.SeekStart, 99990, 10},
		{-5, io.SeekEnd, 99995, 5},
		{50000, io.SeekStart, 50000, 100},
		{25, io.SeekCurrent, 50125, 7},
	}
	for _, row := range rows {
		at, err := r.Seek(row.offset, row.whence)
		if err != nil || at != int64(row.at) {
			t.Fatalf("Seek(%d, %d) = %d, %v, want %d", row.offset, row.whence, at, err, row.at)
		}
		got := make([]byte, row.n)
		if _, err := io.ReadFull(r, got); err != nil {
			t.Fatalf("read at %d: %v", row.at, err)
		}
		if want := text[row.at : row.at+row.n]; string(got) != want {
			t.Errorf("at %d: got %q, want %q", row.at, got, want)
		}
	}
	if _, err := r.Seek(0, io.SeekEnd); err != nil {
		t.Fatal(err)
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("read at the end = %d, %v, want EOF", n, err)
	}
}

func testReplace(t *testing.T, b *bench) {
	old, fresh := strings.Repeat("a", 3<<20), strings.Repeat("b", 3<<20)
	b.put(t, "k", old, blob.PutOptions{})
	r, _, err := b.Open(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	head := make([]byte, 10)
	if _, err := io.ReadFull(r, head); err != nil {
		t.Fatal(err)
	}
	b.put(t, "k", fresh, blob.PutOptions{})
	tail, err := io.ReadAll(r)
	if err == nil && string(head)+string(tail) != old {
		t.Fatalf("read %d bytes of both objects", len(tail))
	}
	b.holds(t, "k", []byte(fresh), info("k", fresh, b.stat(t, "k").ContentType, time.Time{}))
}

func testFailingSource(t *testing.T, b *bench) {
	if _, err := b.Put(t.Context(), "k", breaking("part"), blob.PutOptions{}); !errors.Is(err, errSource) {
		t.Errorf("Put = %v, want the source's error", err)
	}
	b.missing(t, "k")
	b.put(t, "k", "whole", blob.PutOptions{})
	if _, err := b.Put(t.Context(), "k", breaking("part"), blob.PutOptions{}); !errors.Is(err, errSource) {
		t.Errorf("Put = %v, want the source's error", err)
	}
	if _, err := b.Put(canceled(), "k", strings.NewReader("late"), blob.PutOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Put = %v, want Canceled", err)
	}
	b.holds(t, "k", []byte("whole"), info("k", "whole", b.stat(t, "k").ContentType, time.Time{}))
}

func testList(t *testing.T, b *bench) {
	all := []string{"a", "a-b", "a.c", "a/b", "a/b/c", "a/d", "a0", "b/x", "b/y", "c"}
	for _, i := range []int{3, 9, 0, 7, 1, 5, 2, 8, 4, 6} {
		b.put(t, all[i], "x", blob.PutOptions{})
	}
	b.put(t, "a/expired", "x", blob.PutOptions{Expires: b.clock.Now()})
	rows := []struct {
		prefix, after string
		limit         int
		want          []string
	}{
		{"", "", 100, all},
		{"", "", 3, all[:3]},
		{"", "a.c", 3, all[3:6]},
		{"", "a/b", 2, all[4:6]},
		{"", "a/b/a", 2, all[4:6]},
		{"", "c", 10, []string{}},
		{"a", "", 100, all[:7]},
		{"a/", "", 100, all[3:6]},
		{"a/", "a/b", 1, all[4:5]},
		{"a/b", "", 100, all[3:5]},
		{"b/", "", 100, all[7:9]},
		{"b/x", "", 100, all[7:8]},
		{"z", "", 100, []string{}},
		{"z/z/", "", 100, []string{}},
	}
	for _, row := range rows {
		if diff := cmp.Diff(row.want, b.keys(t, row.prefix, row.after, row.limit)); diff != "" {
			t.Errorf("List(%q, %q, %d) (-want +got):\n%s", row.prefix, row.after, row.limit, diff)
		}
	}
	for _, prefix := range []string{"../", "/", "a//", ".a"} {
		if _, err := b.List(t.Context(), prefix, "", 1); !errors.Is(err, blob.ErrKey) {
			t.Errorf("List(%q) = %v, want ErrKey", prefix, err)
		}
	}
	for _, key := range all {
		if err := b.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.keys(t, "", "", 100); len(got) != 0 {
		t.Errorf("after deleting all: %q", got)
	}
}

func testExpiry(t *testing.T, b *bench) {
	soon, later := b.clock.Now().Add(time.Minute+500*time.Millisecond), b.clock.Now().Add(time.Hour)
	b.put(t, "soon", "s", blob.PutOptions{Expires: soon})
	b.put(t, "later", "l", blob.PutOptions{Expires: later})
	b.put(t, "never", "n", blob.PutOptions{})
	b.put(t, "past", "p", blob.PutOptions{Expires: b.clock.Now().Add(-time.Hour)})
	b.missing(t, "past")
	b.sweep(t, 1)

	b.clock.Advance(time.Minute + 499*time.Millisecond)
	b.sweep(t, 0)
	b.holds(t, "soon", []byte("s"), info("soon", "s", b.stat(t, "soon").ContentType, soon))

	b.clock.Advance(time.Millisecond)
	b.missing(t, "soon")
	b.sweep(t, 1)
	b.sweep(t, 0)
	if diff := cmp.Diff([]string{"later", "never"}, b.keys(t, "", "", 10)); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	b.clock.Advance(1000 * time.Hour)
	b.sweep(t, 1)
	if diff := cmp.Diff([]string{"never"}, b.keys(t, "", "", 10)); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

func testExpiryReplaced(t *testing.T, b *bench) {
	short, long := b.clock.Now().Add(time.Minute), b.clock.Now().Add(time.Hour)
	b.put(t, "extended", "1", blob.PutOptions{Expires: short})
	b.put(t, "extended", "2", blob.PutOptions{Expires: long})
	b.put(t, "kept", "1", blob.PutOptions{Expires: short})
	b.put(t, "kept", "2", blob.PutOptions{})
	b.put(t, "deleted", "1", blob.PutOptions{Expires: short})
	if err := b.Delete(t.Context(), "deleted"); err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(2 * time.Minute)
	b.sweep(t, 0)
	if diff := cmp.Diff([]string{"extended", "kept"}, b.keys(t, "", "", 10)); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	b.clock.Advance(2 * time.Hour)
	b.sweep(t, 1)
	if diff := cmp.Diff([]string{"kept"}, b.keys(t, "", "", 10)); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

// testWriters lets several writers and deleters race for one key: every reader sees one of the objects, whole.
func testWriters(t *testing.T, b *bench) {
	const writers, rounds = 4, 10
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			text := strings.Repeat(string(rune('a'+w)), 5000+w)
			for i := range rounds {
				if _, err := b.Put(t.Context(), "dir/k", strings.NewReader(text), blob.PutOptions{}); err != nil {
					t.Errorf("Put = %v", err)
				}
				if err := b.Delete(t.Context(), "dir/other"); err != nil {
					t.Errorf("Delete = %v", err)
				}
				if i == rounds/2 && w == 0 {
					if err := b.Delete(t.Context(), "dir/k"); err != nil {
						t.Errorf("Delete = %v", err)
					}
				}
				checkWhole(t, b)
			}
		})
	}
	all.Wait()
}

func checkWhole(t *testing.T, b *bench) {
	r, info, err := b.Open(t.Context(), "dir/k")
	if errors.Is(err, blob.ErrNotFound) {
		return
	}
	if err != nil {
		t.Errorf("Open = %v", err)
		return
	}
	defer r.Close()
	got, err := io.ReadAll(r)
	if err != nil {
		return // A bucket's reader fails when its object is replaced.
	}
	if sha256.Sum256(got) != info.SHA256 {
		t.Errorf("read %d bytes that are no object", len(got))
	}
}
