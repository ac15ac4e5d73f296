package s3

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// spoolMemory is how much of one object waits in memory before it goes to a file.
const spoolMemory = 1 << 20

// spool holds bytes whose length and hash must be known before they can be sent. Small ones stay in memory.
type spool struct {
	dir  string
	mem  bytes.Buffer
	file *os.File
	size int64
}

func (s *spool) Write(p []byte) (int, error) {
	if s.file == nil && s.mem.Len()+len(p) > spoolMemory {
		if err := s.spill(); err != nil {
			return 0, err
		}
	}
	s.size += int64(len(p))
	if s.file != nil {
		return s.file.Write(p)
	}
	return s.mem.Write(p)
}

func (s *spool) spill() error {
	f, err := os.CreateTemp(s.dir, "stoa-blob-*")
	if err != nil {
		return fmt.Errorf("blob: spool: %w", err)
	}
	s.file = f
	// Nameless from now on: whatever happens to the process, the bytes go with it.
	if err := os.Remove(f.Name()); err != nil {
		return fmt.Errorf("blob: spool: %w", err)
	}
	if _, err := s.mem.WriteTo(f); err != nil {
		return fmt.Errorf("blob: spool: %w", err)
	}
	return nil
}

// reader gives the bytes from the start; it can seek, so that a failed sending is repeated.
func (s *spool) reader() io.ReadSeeker {
	if s.file != nil {
		return io.NewSectionReader(s.file, 0, s.size)
	}
	return bytes.NewReader(s.mem.Bytes())
}

func (s *spool) Close() error {
	if s.file == nil {
		return nil
	}
	if err := s.file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("blob: spool: %w", err)
	}
	return nil
}
