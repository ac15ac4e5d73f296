package forge

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
)

const (
	// spoolStep is how much room on disk is reserved at a time.
	spoolStep = 1 << 20
	// drainRate is how many bytes a second a client must take while a program
	// waits for it, drainGrace what it has beside that.
	drainRate, drainGrace = 128 << 10, 10 * time.Second
)

// spool is a temporary file between a client and a git program, so that the
// program runs at its own pace and ends, whatever the client does. One side
// writes while the other reads.
type spool struct {
	file  *os.File
	grant *budget.Grant

	mu      sync.Mutex
	written int64
	read    int64
	paid    int64
	follows bool // the reader reads what is being written
	ended   bool
	failure error         // why the writer ended
	gone    error         // why the reader ended
	changed chan struct{} // closed and replaced whenever one of the above changes
}

// newSpool makes a temporary file that has no name from its first moment on,
// where the system allows that.
func (f *Forge) newSpool(ctx context.Context, owner budget.Owner) (*spool, error) {
	grant, err := f.git.places.disk.Take(ctx, owner, spoolStep)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(f.git.root, 0o700); err != nil {
		grant.Release()
		return nil, err
	}
	file, err := os.CreateTemp(f.git.root, "spool-*")
	if err != nil {
		grant.Release()
		return nil, err
	}
	s := &spool{file: file, grant: grant, paid: spoolStep, changed: make(chan struct{})}
	unlink(file)
	return s, nil
}

// close frees the room.
func (s *spool) close() {
	_ = s.file.Close() // nothing of it is needed
	removeClosed(s.file)
	s.grant.Release()
}

// signal wakes the other side. The lock is held.
func (s *spool) signal() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Write appends. Where there is no more room it waits for a reader that follows
// to take all there is and begins anew; one that is too slow for that is given
// up.
func (s *spool) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone != nil {
		return 0, s.gone
	}
	if s.written+int64(len(p)) > s.paid {
		if err := s.reserve(int64(len(p))); err != nil {
			return 0, err
		}
	}
	n, err := s.file.WriteAt(p, s.written)
	s.written += int64(n)
	s.signal()
	return n, err
}

// reserve makes room for n more bytes.
func (s *spool) reserve(n int64) error {
	need := max(s.written+n-s.paid, spoolStep)
	err := s.grant.Grow(need)
	if err == nil {
		s.paid += need
		return nil
	}
	if !s.follows || n > s.paid {
		return err
	}
	if err := s.drained(); err != nil {
		return err
	}
	s.written, s.read = 0, 0
	return nil
}

// errSlow means that the client did not take its answer.
var errSlow = errors.New("the client is too slow for an answer of this size")

// drained waits until the reader has taken everything.
func (s *spool) drained() error {
	patience := time.Duration(s.paid/drainRate)*time.Second + drainGrace
	ctx, cancel := context.WithTimeoutCause(context.Background(), patience, errSlow)
	defer cancel()
	for s.read < s.written && s.gone == nil {
		if err := s.wait(ctx); err != nil {
			return err
		}
	}
	return s.gone
}

// wait lets the other side do something. The lock is held before and after.
func (s *spool) wait(ctx context.Context) error {
	changed := s.changed
	s.mu.Unlock()
	defer s.mu.Lock()
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// finish says that nothing more is written, and why.
func (s *spool) finish(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended, s.failure = true, err
	s.signal()
}

// abandon says that nothing more is read, and why.
func (s *spool) abandon(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone = err
	s.signal()
}

// next waits for bytes and reads some. After the last of them it returns
// io.EOF, or why the writer failed.
func (s *spool) next(ctx context.Context, p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.read == s.written {
		if s.ended && s.failure != nil {
			return 0, s.failure
		}
		if s.ended {
			return 0, io.EOF
		}
		if err := s.wait(ctx); err != nil {
			return 0, err
		}
	}
	n, err := s.file.ReadAt(p[:min(int64(len(p)), s.written-s.read)], s.read)
	s.read += int64(n)
	s.signal()
	return n, err
}

// fill copies a body to the file, at most a number of bytes of it.
func (s *spool) fill(body io.Reader, most int64) error {
	n, err := io.Copy(struct{ io.Writer }{s}, io.LimitReader(body, most+1))
	if err == nil && n > most {
		return tooLarge("the request has more than %d bytes", most)
	}
	return err
}

// reader reads from an offset to the end of what was written.
func (s *spool) reader(from int64) *io.SectionReader {
	return io.NewSectionReader(s.file, from, s.written-from)
}
