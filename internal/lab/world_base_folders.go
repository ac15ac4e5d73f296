package lab

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// bases are the immutable folders that worlds are created from. A folder is named
// once it is whole, and goes when nothing refers to it any more.
type bases struct {
	lab   *Lab
	dir   string
	cache cache

	mu        sync.Mutex
	refs      map[string]int
	lists     map[string][]folderEntry // what is in those that were copied
	templates []*template              // least recently used first
}

func newBases(l *Lab, dir string) *bases {
	return &bases{lab: l, dir: dir, cache: newCache(l), refs: map[string]int{}, lists: map[string][]folderEntry{}}
}

func (b *bases) path(name string) string { return filepath.Join(b.dir, name) }

// data is the folder with a base's data.
func (b *bases) data(name string) string { return filepath.Join(b.dir, name, dataFolder) }

// retain counts a world, snapshot or template that refers to the base.
func (b *bases) retain(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refs[name]++
}

// held reports whether something refers to the base.
func (b *bases) held(name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refs[name] > 0
}

// release removes the base when nothing refers to it any more.
func (b *bases) release(name string) error {
	b.mu.Lock()
	b.refs[name]--
	gone := b.refs[name] <= 0
	if gone {
		delete(b.refs, name)
		delete(b.lists, name)
	}
	b.mu.Unlock()
	if !gone {
		return nil
	}
	return errors.Join(b.lab.ready.drop(name), os.RemoveAll(b.path(name)))
}

// copyTo copies a base's data to a new folder. A base never changes, so what is in it is
// listed once.
func (b *bases) copyTo(name, to string) error {
	b.mu.Lock()
	list := b.lists[name]
	b.mu.Unlock()
	if list == nil {
		found, err := listFolder(b.data(name), b.lab.immutable)
		if err != nil {
			return err
		}
		list = found
		b.mu.Lock()
		if b.refs[name] > 0 {
			b.lists[name] = list
		}
		b.mu.Unlock()
	}
	return copyListed(list, b.data(name), to)
}

// sweep removes what an earlier process left and nothing refers to.
func (b *bases) sweep() error {
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var failed []error
	for _, e := range entries {
		if b.refs[e.Name()] == 0 {
			failed = append(failed, os.RemoveAll(b.path(e.Name())))
		}
	}
	return errors.Join(failed...)
}

// add makes a base out of what fill writes into an empty folder, and holds it.
func (b *bases) add(fill func(data string) error) (name string, err error) {
	dir, err := os.MkdirTemp(b.lab.unfinished(), "base")
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	if err := fill(filepath.Join(dir, dataFolder)); err != nil {
		return "", err
	}
	name = strings.ToLower(b.lab.ids.Hex(16))
	b.retain(name)
	return name, os.Rename(dir, b.path(name))
}
