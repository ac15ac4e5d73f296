package blobtest

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/platform/blob"
)

func (b *bench) create(t *testing.T, key string, o blob.UploadOptions) blob.Upload {
	t.Helper()
	u, err := b.Create(t.Context(), key, o)
	if err != nil {
		t.Fatalf("Create(%s) = %v", key, err)
	}
	return u
}

func (b *bench) resume(t *testing.T, id string) blob.Upload {
	t.Helper()
	u, err := b.Resume(t.Context(), id)
	if err != nil {
		t.Fatalf("Resume(%s) = %v", id, err)
	}
	return u
}

func (b *bench) noUpload(t *testing.T, id string) {
	t.Helper()
	if u, err := b.Resume(t.Context(), id); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Resume(%q) = %v, %v, want ErrNotFound", id, u, err)
	}
}

func add(t *testing.T, u blob.Upload, text string) {
	t.Helper()
	want := u.Offset() + int64(len(text))
	got, err := u.Append(t.Context(), u.Offset(), strings.NewReader(text))
	if err != nil || got != want || u.Offset() != want {
		t.Fatalf("Append = %d, %v (Offset %d), want %d", got, err, u.Offset(), want)
	}
}

func testUpload(t *testing.T, b *bench) {
	expires := b.clock.Now().Add(time.Hour)
	o := blob.UploadOptions{PutOptions: blob.PutOptions{ContentType: "text/plain", Expires: expires}}
	u := b.create(t, "up/load", o)
	if got, want := u.Key(), "up/load"; got != want {
		t.Errorf("Key = %q, want %q", got, want)
	}
	add(t, u, "one ")
	add(t, u, "")
	add(t, u, "two ")
	add(t, u, strings.Repeat("x", 2<<20))
	b.missing(t, "up/load")
	text := "one two " + strings.Repeat("x", 2<<20)
	want := info("up/load", text, "text/plain", expires)
	for range 2 { // The second gives the same again.
		got, err := u.Commit(t.Context())
		if err != nil {
			t.Fatalf("Commit = %v", err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Commit's info (-want +got):\n%s", diff)
		}
	}
	b.holds(t, "up/load", []byte(text), want)
	b.noUpload(t, u.ID())
	if _, err := u.Append(t.Context(), u.Offset(), strings.NewReader("more")); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Append after Commit = %v, want ErrNotFound", err)
	}

	empty := b.create(t, "empty", blob.UploadOptions{})
	if got, err := empty.Commit(t.Context()); err != nil || got.Size != 0 || got.SHA256 != sha256.Sum256(nil) {
		t.Errorf("Commit of nothing = %+v, %v", got, err)
	}
	b.clock.Advance(2 * time.Hour)
	b.sweep(t, 1)
}

func testUploadOffsets(t *testing.T, b *bench) {
	u := b.create(t, "k", blob.UploadOptions{})
	add(t, u, "abc")
	for _, offset := range []int64{0, 2, 4, -1} {
		var wrong *blob.OffsetError
		_, err := u.Append(t.Context(), offset, strings.NewReader("x"))
		if !errors.As(err, &wrong) || wrong.Have != 3 || wrong.Given != offset {
			t.Errorf("Append at %d = %v, want OffsetError{3, %d}", offset, err, offset)
		}
	}
	add(t, u, "def")
	if _, err := u.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.holds(t, "k", []byte("abcdef"), info("k", "abcdef", b.stat(t, "k").ContentType, time.Time{}))
	for _, id := range []string{"", "..", "../../x", strings.Repeat("0", 32), strings.Repeat("A", 32),
		strings.Repeat("0", 31) + "/"} {
		b.noUpload(t, id)
	}
}

func testUploadLimits(t *testing.T, b *bench) {
	u := b.create(t, "limited", blob.UploadOptions{PutOptions: blob.PutOptions{MaxSize: 6}})
	add(t, u, "abc")
	if got, err := u.Append(t.Context(), 3, strings.NewReader("defg")); !errors.Is(err, blob.ErrTooLarge) || got != 3 {
		t.Errorf("Append = %d, %v, want 3, ErrTooLarge", got, err)
	}
	add(t, u, "def") // The refused bytes left nothing behind.
	if got, err := u.Commit(t.Context()); err != nil || got.SHA256 != sha256.Sum256([]byte("abcdef")) {
		t.Errorf("Commit = %+v, %v", got, err)
	}

	want := sha256.Sum256([]byte("right"))
	hashed := b.create(t, "hashed", blob.UploadOptions{PutOptions: blob.PutOptions{SHA256: &want}})
	add(t, hashed, "wrong")
	if _, err := hashed.Commit(t.Context()); !errors.Is(err, blob.ErrHash) {
		t.Errorf("Commit = %v, want ErrHash", err)
	}
	b.missing(t, "hashed")
}

func testUploadRestart(t *testing.T, b *bench) {
	id := b.create(t, "k", blob.UploadOptions{}).ID()
	text := ""
	for i := range 4 {
		process := &bench{Store: b.reopen(), clock: b.clock}
		u := process.resume(t, id)
		if got, want := u.Offset(), int64(len(text)); got != want {
			t.Fatalf("process %d resumes at %d, want %d", i, got, want)
		}
		piece := strings.Repeat(string(rune('a'+i)), 1000+i)
		add(t, u, piece)
		text += piece
	}
	last := &bench{Store: b.reopen(), clock: b.clock}
	got, err := last.resume(t, id).Commit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	last.holds(t, "k", []byte(text), got)
	if got.SHA256 != sha256.Sum256([]byte(text)) {
		t.Errorf("hash = %x, want that of all bytes", got.SHA256)
	}
}

func testUploadFailure(t *testing.T, b *bench) {
	u := b.create(t, "k", blob.UploadOptions{})
	if got, err := u.Append(t.Context(), 0, breaking("abc")); !errors.Is(err, errSource) || got != 3 {
		t.Errorf("Append = %d, %v, want 3 and the source's error", got, err)
	}
	if got, want := b.resume(t, u.ID()).Offset(), int64(3); got != want {
		t.Errorf("Offset = %d, want %d", got, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	leaving := io.MultiReader(strings.NewReader("de"),
		readerFunc(func([]byte) (int, error) { cancel(); return 0, io.ErrUnexpectedEOF }))
	if got, err := u.Append(ctx, 3, leaving); err == nil || got != 5 {
		t.Errorf("Append = %d, %v, want 5 and an error", got, err)
	}
	add(t, u, "f")
	if _, err := u.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.holds(t, "k", []byte("abcdef"), info("k", "abcdef", b.stat(t, "k").ContentType, time.Time{}))
}

func testUploadAbandon(t *testing.T, b *bench) {
	aborted := b.create(t, "k", blob.UploadOptions{})
	add(t, aborted, "abc")
	if err := aborted.Abort(t.Context()); err != nil {
		t.Fatalf("Abort = %v", err)
	}
	b.noUpload(t, aborted.ID())

	short := b.create(t, "k", blob.UploadOptions{Abandon: b.clock.Now().Add(time.Hour)})
	add(t, short, "abc")
	plain := b.create(t, "k", blob.UploadOptions{})
	b.sweep(t, 0)
	b.clock.Advance(time.Hour)
	b.noUpload(t, short.ID())
	b.sweep(t, 1)
	b.resume(t, plain.ID())
	b.clock.Advance(blob.AbandonAfter)
	b.noUpload(t, plain.ID())
	b.sweep(t, 1)
	b.sweep(t, 0)
	b.missing(t, "k")
}

// testUploadRace lets several requests append at one offset: one wins, the others learn the truth.
func testUploadRace(t *testing.T, b *bench) {
	const requests = 6
	id := b.create(t, "k", blob.UploadOptions{}).ID()
	var all sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for i := range requests {
		u := b.resume(t, id)
		all.Go(func() {
			_, err := u.Append(t.Context(), 0, strings.NewReader(strings.Repeat(string(rune('a'+i)), 100+i)))
			var wrong *blob.OffsetError
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won++
			} else if !errors.As(err, &wrong) {
				t.Errorf("Append = %v, want an OffsetError", err)
			}
		})
	}
	all.Wait()
	if won != 1 {
		t.Fatalf("%d appends at offset 0 won, want 1", won)
	}
	got, err := b.resume(t, id).Commit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got.Size < 100 || got.Size >= 100+requests {
		t.Errorf("size = %d, want that of one append", got.Size)
	}
}
