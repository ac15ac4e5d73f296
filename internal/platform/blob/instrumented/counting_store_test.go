package instrumented_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/blob/blobtest"
	"stoa.dev/stoa/internal/platform/blob/files"
	"stoa.dev/stoa/internal/platform/blob/instrumented"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	blobtest.Suite(t, func(t *testing.T, c clock.Clock) func() blob.Store {
		dir := t.TempDir()
		return func() blob.Store {
			s, err := files.New(dir, c, ids.Random())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return instrumented.New(s)
		}
	})
}

// failing is a store whose Put fails in one way.
type failing struct {
	blob.Store
	err error
}

func (f failing) Put(context.Context, string, io.Reader, blob.PutOptions) (blob.Info, error) {
	return blob.Info{}, f.err
}

// TestKinds: what a disk says is told apart from what no waiting mends.
func TestKinds(t *testing.T) {
	t.Parallel()
	for errno, want := range map[error]error{
		syscall.ENOSPC: blob.ErrFull, syscall.EDQUOT: blob.ErrFull,
		syscall.EROFS: blob.ErrUnavailable, syscall.EIO: blob.ErrUnavailable, syscall.EMFILE: blob.ErrUnavailable,
		syscall.EACCES: nil,
	} {
		s := instrumented.New(failing{err: errno})
		_, err := s.Put(t.Context(), "a", strings.NewReader(""), blob.PutOptions{})
		for _, kind := range []error{blob.ErrFull, blob.ErrUnavailable} {
			if errors.Is(err, kind) != (kind == want) {
				t.Errorf("%v became %v, want %v", errno, err, want)
			}
		}
		if !errors.Is(err, errno) {
			t.Errorf("%v lost its cause: %v", errno, err)
		}
		outcome := instrumented.Away
		if want == nil {
			outcome = instrumented.Failed
		}
		if all := s.Counts().All(); len(all) != 1 || all[0].Operation != instrumented.Put || all[0].Outcome != outcome ||
			all[0].N != 1 {
			t.Errorf("%v: counted %+v, want one put that ended %s", errno, all, outcome)
		}
	}
}
