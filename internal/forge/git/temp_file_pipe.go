package git

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
	// tempStep is how much space on disk is reserved at a time.
	tempStep = 1 << 20
	// drainRate is how many bytes a second a client must take while a program
	// waits for it, drainGrace what it has beside that.
	drainRate, drainGrace = 128 << 10, 10 * time.Second
)

// TempFile is a temporary file between a client and a program, so that the program
// runs at its own pace and ends, whatever the client does. One side writes while
// the other reads.
type TempFile struct {
	// File is for a program's standard input.
	File *os.File
	// Follows says that the reader reads what is being written.
	Follows bool
	grant   *budget.Grant

	mu      sync.Mutex
	written int64
	read    int64
	paid    int64 // reserved on disk
	ended   bool
	failure error         // why the writer ended
	gone    error         // why the reader ended
	changed chan struct{} // closed and replaced whenever one of the above changes
}

// TempFile makes a temporary file that has no name from its first moment on, where
// the system allows that.
func (r *Runner) TempFile(ctx context.Context, owner budget.Owner) (*TempFile, error) {
	grant, err := r.slots.disk.Take(ctx, owner, tempStep)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.root, 0o700); err != nil {
		grant.Release()
		return nil, err
	}
	file, err := os.CreateTemp(r.root, "spool-*")
	if err != nil {
		grant.Release()
		return nil, err
	}
	t := &TempFile{File: file, grant: grant, paid: tempStep, changed: make(chan struct{})}
	unlink(file)
	return t, nil
}

// Close frees the space.
func (t *TempFile) Close() {
	_ = t.File.Close() // nothing of it is needed
	removeClosed(t.File)
	t.grant.Release()
}

// signal wakes the other side. The lock is held.
func (t *TempFile) signal() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// Write appends. Where there is no more space it waits for a reader that follows
// to take all there is and begins anew; one that is too slow for that is given up.
func (t *TempFile) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone != nil {
		return 0, t.gone
	}
	if t.written+int64(len(p)) > t.paid {
		if err := t.reserve(int64(len(p))); err != nil {
			return 0, err
		}
	}
	n, err := t.File.WriteAt(p, t.written)
	t.written += int64(n)
	t.signal()
	return n, err
}

// reserve makes space for n more bytes.
func (t *TempFile) reserve(n int64) error {
	need := max(t.written+n-t.paid, tempStep)
	err := t.grant.Grow(need)
	if err == nil {
		t.paid += need
		return nil
	}
	if !t.Follows || n > t.paid {
		return err
	}
	if err := t.drained(); err != nil {
		return err
	}
	t.written, t.read = 0, 0
	return nil
}

// errSlow means that the client did not take its answer.
var errSlow = errors.New("the client is too slow for an answer of this size")

// drained waits until the reader has taken everything.
func (t *TempFile) drained() error {
	patience := time.Duration(t.paid/drainRate)*time.Second + drainGrace
	ctx, cancel := context.WithTimeoutCause(context.Background(), patience, errSlow)
	defer cancel()
	for t.read < t.written && t.gone == nil {
		if err := t.wait(ctx); err != nil {
			return err
		}
	}
	return t.gone
}

// wait lets the other side do something. The lock is held before and after.
func (t *TempFile) wait(ctx context.Context) error {
	changed := t.changed
	t.mu.Unlock()
	defer t.mu.Lock()
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Finish says that nothing more is written, and why.
func (t *TempFile) Finish(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended, t.failure = true, err
	t.signal()
}

// Abandon says that nothing more is read, and why.
func (t *TempFile) Abandon(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.gone = err
	t.signal()
}

// Next waits for bytes and reads some. After the last of them it returns
// io.EOF, or why the writer failed.
func (t *TempFile) Next(ctx context.Context, p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.read == t.written {
		if t.ended && t.failure != nil {
			return 0, t.failure
		}
		if t.ended {
			return 0, io.EOF
		}
		if err := t.wait(ctx); err != nil {
			return 0, err
		}
	}
	n, err := t.File.ReadAt(p[:min(int64(len(p)), t.written-t.read)], t.read)
	t.read += int64(n)
	t.signal()
	return n, err
}

// Fill copies a body to the file, at most limit bytes of it.
func (t *TempFile) Fill(body io.Reader, limit int64) error {
	n, err := io.Copy(struct{ io.Writer }{t}, io.LimitReader(body, limit+1))
	if err == nil && n > limit {
		return errTooLarge("the request has more than %d bytes", limit)
	}
	return err
}

// Reader reads from an offset to the end of what was written.
func (t *TempFile) Reader(from int64) *io.SectionReader {
	return io.NewSectionReader(t.File, from, t.written-from)
}
