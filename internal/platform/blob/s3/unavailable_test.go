package s3_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/blob/s3"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
)

// TestUnavailable: a bucket that does not answer, or answers that it cannot, is unavailable; one that is full is full.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	refusing := func(status int) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	for name, c := range map[string]struct {
		endpoint string
		want     error
	}{
		"no listener": {"http://" + freeAddress(t), blob.ErrUnavailable},
		"503":         {refusing(http.StatusServiceUnavailable), blob.ErrUnavailable},
		"507":         {refusing(http.StatusInsufficientStorage), blob.ErrFull},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t, c.endpoint)
			_, err := store.Put(t.Context(), "a", strings.NewReader("x"), blob.PutOptions{})
			if !errors.Is(err, c.want) {
				t.Errorf("Put: %v, want %v", err, c.want)
			}
			if name == "507" {
				return // a full store still reads
			}
			if _, err := store.Stat(t.Context(), "a"); !errors.Is(err, c.want) {
				t.Errorf("Stat: %v, want %v", err, c.want)
			}
		})
	}
}

// TestRetryUnavailable: a store that comes back within the time is waited for, by those who said so.
func TestRetryUnavailable(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	once := open(t, "http://"+address)
	retrying := blob.WithRetry(once, time.Minute)
	if _, err := once.Stat(t.Context(), "a"); !errors.Is(err, blob.ErrUnavailable) {
		t.Fatalf("Stat without retries: %v", err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := retrying.Put(t.Context(), "a", strings.NewReader("kept"), blob.PutOptions{})
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("Put ended before the store came back: %v", err)
	case <-time.After(2 * time.Second):
	}
	backend := s3mem.New()
	if err := backend.CreateBucket("stoa"); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: gofakes3.New(backend).Server()}}
	server.Start()
	defer server.Close()
	if err := <-done; err != nil {
		t.Fatalf("Put after the store came back: %v", err)
	}
	if info, err := once.Stat(t.Context(), "a"); err != nil || info.Size != 4 {
		t.Errorf("Stat = %+v, %v, want 4 bytes", info, err)
	}
}

// TestUploadWaitsForTheBucket: a bucket that fails now and then is waited for by every step of an upload, and all
// bytes arrive.
func TestUploadWaitsForTheBucket(t *testing.T) {
	t.Parallel()
	backend := s3mem.New()
	if err := backend.CreateBucket("stoa"); err != nil {
		t.Fatal(err)
	}
	var failures atomic.Int32
	s3server := gofakes3.New(backend).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if failures.Add(-1) >= 0 {
			_, _ = io.Copy(io.Discard, r.Body) // it fails when it has all
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		s3server.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	store := blob.WithRetry(open(t, server.URL), time.Minute)
	step := func(name string, do func() error) {
		t.Helper()
		failures.Store(5) // more than one request is repeated by the library itself
		if err := do(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	var u blob.Upload
	var info blob.Info
	step("create", func() (err error) {
		u, err = store.Create(t.Context(), "a", blob.UploadOptions{})
		return err
	})
	for _, text := range []string{"first ", "second"} {
		step("append", func() error {
			_, err := u.Append(t.Context(), u.Offset(), strings.NewReader(text))
			return err
		})
	}
	step("resume", func() (err error) {
		u, err = store.Resume(t.Context(), u.ID())
		return err
	})
	step("commit", func() (err error) {
		info, err = u.Commit(t.Context())
		return err
	})
	failures.Store(0)
	r, _, err := store.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if b, err := io.ReadAll(r); err != nil || string(b) != "first second" || info.Size != 12 {
		t.Errorf("the object holds %q (%v), of %d bytes", b, err, info.Size)
	}
}

// TestPartWhoseAnswerIsLost: a part that the bucket has stored while its answer got lost is sent again, and is no
// conflict with itself. One of the same length by another process is.
func TestPartWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	backend := s3mem.New()
	if err := backend.CreateBucket("stoa"); err != nil {
		t.Fatal(err)
	}
	var lose atomic.Bool
	s3server := gofakes3.New(backend).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut && lose.CompareAndSwap(true, false) {
			s3server.ServeHTTP(httptest.NewRecorder(), r)
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		s3server.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	store := blob.WithRetry(open(t, server.URL), time.Minute)
	u, err := store.Create(t.Context(), "a", blob.UploadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"first ", "second"} {
		lose.Store(true)
		before := u.Offset()
		got, err := u.Append(t.Context(), before, strings.NewReader(text))
		if want := before + int64(len(text)); err != nil || got != want || u.Offset() != want {
			t.Fatalf("Append(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	other, err := store.Resume(t.Context(), u.ID())
	if err != nil {
		t.Fatal(err)
	}
	// Between the look at the offset and the part of one, the other stores its own.
	_, err = u.Append(t.Context(), u.Offset(), readerFunc(func(p []byte) (int, error) {
		if _, err := other.Append(t.Context(), other.Offset(), strings.NewReader("them")); err != nil {
			return 0, err
		}
		return copy(p, "us, "), io.EOF
	}))
	var conflict *blob.OffsetError
	if !errors.As(err, &conflict) || conflict.Have != conflict.Given+4 {
		t.Errorf("Append after another's: %v, want an OffsetError", err)
	}
	if _, err := u.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, _, err := store.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if b, err := io.ReadAll(r); err != nil || string(b) != "first secondthem" {
		t.Errorf("the object holds %q, %v", b, err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func open(t *testing.T, endpoint string) blob.Store {
	t.Helper()
	c := blob.DefaultConfig().S3
	c.Endpoint, c.Bucket, c.AccessKey, c.SecretKey, c.SpoolDir = endpoint, "stoa", "key", "secret", t.TempDir()
	s, err := s3.New(c, clock.Real(), ids.Random())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}
