package audittrail

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
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
	log      *slog.Logger

	mu     sync.Mutex
	closed bool
	file   *os.File // nil where the last attempt to turn has closed it and could not open it again
	size   int64
	last   int64 // the number of the last entry
	stuck  bool  // the last attempt to turn failed
}

// Open takes up the trail in the folder. A last line that a process did not finish is cut. The log is told when the
// files do not turn, and when they do again.
func Open(folder string, log *slog.Logger) (*Trail, error) {
	return open(folder, defaultFileBytes, log)
}

func open(folder string, maxBytes int64, log *slog.Logger) (*Trail, error) {
	t := &Trail{folder: folder, maxBytes: maxBytes, log: log}
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
	if err := t.openFile(); err != nil {
		return nil, err
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

// Add writes an entry, which gets its number here. While the files do not turn, entries go on in the full one, up to
// twice its size; each of them tries again.
func (t *Trail) Add(e audit.Entry) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return fs.ErrClosed
	}
	e.ID = t.last + 1
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if t.size > 0 && t.size+int64(len(line)) > t.maxBytes {
		err = t.turn()
		t.noteTurn(err)
		if err != nil && t.size+int64(len(line)) > 2*t.maxBytes {
			return fmt.Errorf("the trail's file is full and does not turn: %w", err)
		}
	}
	if err := t.openFile(); err != nil {
		return err
	}
	if _, err := t.file.WriteAt(line, t.size); err != nil {
		return err
	}
	t.size, t.last = t.size+int64(len(line)), e.ID
	return nil
}

// turn begins a new file and forgets the older one. The file is closed first, because not every system renames one that
// is open; what fails leaves it for openFile.
func (t *Trail) turn() error {
	newer, older := filepath.Join(t.folder, newerFile), filepath.Join(t.folder, olderFile)
	if t.file != nil {
		// What was written is in the file, whatever its end says: an entry does not wait for the disk.
		_ = t.file.Close()
		t.file = nil
	}
	if err := os.Rename(newer, older); err != nil {
		return err
	}
	t.size = 0
	return nil
}

// noteTurn tells the log the first of several attempts to turn that fail, and the one that does not.
func (t *Trail) noteTurn(err error) {
	switch {
	case err != nil && !t.stuck:
		t.log.Error("files of the lab's trail do not turn; entries go on in the full one, up to twice its size",
			"folder", t.folder, "error", err.Error())
	case err == nil && t.stuck:
		t.log.Info("files of the lab's trail turn again", "folder", t.folder)
	}
	t.stuck = err != nil
}

// openFile opens the newer file unless it is open.
func (t *Trail) openFile() (err error) {
	if t.file == nil {
		t.file, err = os.OpenFile(filepath.Join(t.folder, newerFile), os.O_WRONLY|os.O_CREATE, 0o600)
	}
	if err != nil {
		t.file = nil
		return fmt.Errorf("lab trail: %w", err)
	}
	return nil
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
	t.closed = true
	if t.file == nil {
		return nil
	}
	file := t.file
	t.file = nil
	return file.Close()
}
