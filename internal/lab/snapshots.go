package lab

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// savedFolder holds a file for each snapshot.
const savedFolder = "saved"

// Snapshot is a saved world.
type Snapshot struct {
	Name    string          `json:"name"`
	Base    string          `json:"base"`
	Bytes   int64           `json:"bytes"`
	Created time.Time       `json:"created"`
	Seed    uint64          `json:"seed"`
	Dialect string          `json:"dialect"`
	Config  json.RawMessage `json:"config,omitempty"`
	State   state           `json:"state"`
}

// Save keeps the world as it is now under a name.
func (w *World) Save(ctx context.Context, name string) (Snapshot, error) {
	if err := CheckName(name); err != nil {
		return Snapshot{}, err
	}
	l := w.lab
	if err := l.reserveSnapshot(name); err != nil {
		return Snapshot{}, err
	}
	defer l.unreserve(fromSnapshot + name)
	o, err := w.copyBase(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	s := Snapshot{
		Name: name, Base: o.base, Created: l.clock.Now(), Seed: o.seed, Dialect: o.dialect, Config: o.config, State: o.state,
	}
	if s.Bytes, err = folderBytes(l.bases.path(o.base)); err == nil {
		err = l.writeSnapshot(s)
	}
	if err != nil {
		return Snapshot{}, errors.Join(err, l.bases.release(o.base))
	}
	l.mu.Lock()
	l.snapshots[name] = s
	l.mu.Unlock()
	return s, nil
}

// reserveSnapshot keeps a name while the snapshot is being made. The prefix keeps
// it apart from worlds' names.
func (l *Lab) reserveSnapshot(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := fromSnapshot + name
	if _, ok := l.snapshots[name]; ok || l.reserved[key] {
		return errConflict("choose another name, or delete the snapshot first", "there is a snapshot %q already", name)
	}
	if len(l.snapshots)+l.countReserved(true) >= l.options.MaxWorlds {
		return errExhausted("delete some", "there are %d snapshots already", l.options.MaxWorlds)
	}
	l.reserved[key] = true
	return nil
}

func (l *Lab) snapshotFile(name string) string {
	return filepath.Join(l.folder(savedFolder), name+".json")
}

func (l *Lab) writeSnapshot(s Snapshot) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	part := filepath.Join(l.unfinished(), "snapshot-"+s.Name)
	if err := os.WriteFile(part, text, 0o600); err != nil {
		return err
	}
	return os.Rename(part, l.snapshotFile(s.Name))
}

func (l *Lab) loadSnapshots() error {
	entries, err := os.ReadDir(l.folder(savedFolder))
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(l.folder(savedFolder), e.Name()))
		if err != nil {
			return err
		}
		var s Snapshot
		if err := json.Unmarshal(text, &s); err != nil {
			return err
		}
		l.snapshots[s.Name] = s
		l.bases.retain(s.Base)
	}
	return nil
}

// retainSnapshot finds a snapshot and retains its base for the caller, before it can be
// deleted.
func (l *Lab) retainSnapshot(name string) (Snapshot, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, err := l.snapshot(name)
	if err == nil {
		l.bases.retain(s.Base)
	}
	return s, err
}

// snapshot finds one by its name. The caller holds mu.
func (l *Lab) snapshot(name string) (Snapshot, error) {
	s, ok := l.snapshots[name]
	if !ok {
		return s, errNotFound("GET /lab/v1/snapshots lists those there are", "there is no snapshot %q", name)
	}
	return s, nil
}

// Snapshots are all, by name.
func (l *Lab) Snapshots() []Snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]Snapshot, 0, len(l.snapshots))
	for _, s := range l.snapshots {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b Snapshot) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// DeleteSnapshot forgets a snapshot. Worlds that were created from it stay.
func (l *Lab) DeleteSnapshot(name string) error {
	s, err := l.takeSnapshot(name)
	if err != nil {
		return err
	}
	defer l.unreserve(fromSnapshot + name)
	if err := os.Remove(l.snapshotFile(name)); err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.snapshots[name] = s
		return err
	}
	return l.bases.release(s.Base)
}

// takeSnapshot takes one out for the caller alone, and keeps its name until the caller
// has removed its file.
func (l *Lab) takeSnapshot(name string) (Snapshot, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, err := l.snapshot(name)
	if err == nil {
		delete(l.snapshots, name)
		l.reserved[fromSnapshot+name] = true
	}
	return s, err
}

func folderBytes(dir string) (sum int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	return sum, err
}
