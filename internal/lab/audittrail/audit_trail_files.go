package audittrail

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"stoa.dev/stoa/internal/platform/audit"
)

// The files of a trail.
const (
	newerFile = "audit.jsonl"
	olderFile = "audit-older.jsonl"
)

// defaultFileBytes is about 30,000 entries.
const defaultFileBytes = 8 << 20

// Trail is the record of one lab. Its folder belongs to one process.
type Trail struct {
	folder   string
	maxBytes int64

	mu   sync.Mutex
	file *os.File
	size int64
	last int64 // the number of the last entry
}

// Open takes up the trail in the folder. A last line that a process did not finish is cut.
func Open(folder string) (*Trail, error) { return open(folder, defaultFileBytes) }

func open(folder string, maxBytes int64) (*Trail, error) {
	t := &Trail{folder: folder, maxBytes: maxBytes}
	for _, name := range []string{olderFile, newerFile} {
		text, err := t.read(name)
		if err != nil {
			return nil, err
		}
		if e, ok := lastEntry(text); ok {
			t.last = e.ID
		}
		t.size = int64(bytes.LastIndexByte(text, '\n') + 1)
	}
	var err error
	t.file, err = os.OpenFile(filepath.Join(folder, newerFile), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lab trail: %w", err)
	}
	if err := t.file.Truncate(t.size); err != nil {
		return nil, errors.Join(err, t.file.Close())
	}
	return t, nil
}

// read is the content of one of the files, nothing where it is missing.
func (t *Trail) read(name string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(t.folder, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// lastEntry is the last whole line that is an entry.
func lastEntry(text []byte) (e audit.Entry, ok bool) {
	for line := range linesBackward(text) {
		if e, ok := parse(line); ok {
			return e, true
		}
	}
	return e, false
}

func parse(line []byte) (e audit.Entry, ok bool) {
	return e, json.Unmarshal(line, &e) == nil && e.ID > 0
}

// linesBackward are the lines that end, the last one first.
func linesBackward(text []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		text = text[:bytes.LastIndexByte(text, '\n')+1]
		for len(text) > 0 {
			text = text[:len(text)-1]
			from := bytes.LastIndexByte(text, '\n') + 1
			if !yield(text[from:]) {
				return
			}
			text = text[:from]
		}
	}
}

// Add writes an entry, which gets its number here.
func (t *Trail) Add(e audit.Entry) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return fs.ErrClosed
	}
	e.ID = t.last + 1
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if t.size > 0 && t.size+int64(len(line)) > t.maxBytes {
		if err := t.turn(); err != nil {
			return err
		}
	}
	if _, err := t.file.WriteAt(line, t.size); err != nil {
		return err
	}
	t.size, t.last = t.size+int64(len(line)), e.ID
	return nil
}

// turn begins a new file and forgets the older one.
func (t *Trail) turn() error {
	newer, older := filepath.Join(t.folder, newerFile), filepath.Join(t.folder, olderFile)
	if err := errors.Join(t.file.Close(), os.Rename(newer, older)); err != nil {
		return err
	}
	file, err := os.OpenFile(newer, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	t.file, t.size = file, 0
	return err
}

// Filter chooses entries; a zero field chooses all.
type Filter struct {
	// World is the object, Action a whole action or its first word.
	World, Action string
	// Before is the number of the last entry of the page before.
	Before int64
	Limit  int
}

func (f Filter) takes(e audit.Entry) bool {
	return (f.Before == 0 || e.ID < f.Before) && (f.World == "" || e.Object == f.World) &&
		(f.Action == "" || e.Action == f.Action || audit.Area(e.Action) == f.Action)
}

// List shows entries, the newest first, and whether there are more.
func (t *Trail) List(f Filter) (list []audit.Entry, more bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, name := range []string{newerFile, olderFile} {
		text, err := t.read(name)
		if err != nil {
			return nil, false, err
		}
		for line := range linesBackward(text) {
			e, ok := parse(line)
			if !ok || !f.takes(e) {
				continue
			}
			if len(list) == f.Limit {
				return list, true, nil
			}
			list = append(list, e)
		}
	}
	return list, false, nil
}

// Close ends the trail.
func (t *Trail) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return nil
	}
	file := t.file
	t.file = nil
	return file.Close()
}
