package lab

import (
	"os"
	"path/filepath"
	"sync"
)

// readyCopies holds a copy of each base that many worlds are created from, so that the
// next one only gives it a name: copying takes a third of the time of creating a world.
type readyCopies struct {
	lab *Lab

	mu      sync.Mutex
	folders map[string]string // data folder by base, once it is whole
	copying map[string]bool   // bases that are being copied
	removed []string          // folders that are to be removed
	emptier bool              // they are being removed
	closed  bool
	making  sync.WaitGroup
	// creating counts the worlds that are being created; changed tells the emptier of it.
	creating int
	changed  *sync.Cond
}

// maxRemoved is how many folders may wait to be removed while worlds are being created.
const maxRemoved = 128

func newReadyCopies(l *Lab) *readyCopies {
	r := &readyCopies{lab: l, folders: map[string]string{}, copying: map[string]bool{}}
	r.changed = sync.NewCond(&r.mu)
	return r
}

// pauseRemovals holds back removals until the returned function is called: who waits for a new
// world shares the processors and the file system with them.
func (r *readyCopies) pauseRemovals() (end func()) {
	add := func(n int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.creating += n
		r.changed.Broadcast()
	}
	add(1)
	return func() { add(-1) }
}

// move gives a copy of the base's data the path, and has the next one made where
// another world may follow.
func (r *readyCopies) move(base, to string, again bool) error {
	r.mu.Lock()
	ready := r.folders[base]
	delete(r.folders, base)
	if again && !r.closed && !r.copying[base] {
		r.copying[base] = true // of many that come at once each copies for itself
		r.making.Go(func() { r.make(base) })
	}
	r.mu.Unlock()
	if ready != "" && os.Rename(ready, to) == nil {
		return r.remove(filepath.Dir(ready)) // a file system may take a millisecond for it
	}
	return r.lab.bases.copyTo(base, to)
}

// make copies a base into the folder of what has no name yet, which the next process
// empties. Where it fails, the next creation copies for itself and says why it cannot.
func (r *readyCopies) make(base string) {
	defer func() {
		r.mu.Lock()
		delete(r.copying, base)
		r.mu.Unlock()
	}()
	folder, err := r.folder()
	if err != nil {
		return
	}
	if r.lab.bases.copyTo(base, folder) != nil {
		_ = os.RemoveAll(filepath.Dir(folder)) // it has no name: what is left goes with the next start
		return
	}
	r.add(base, folder)
}

// folder is the path of a copy that is not made yet, where nothing has a name.
func (r *readyCopies) folder() (string, error) {
	dir, err := os.MkdirTemp(r.lab.unfinished(), "ready")
	return filepath.Join(dir, dataFolder), err
}

// add keeps a whole copy of a base for the next world.
func (r *readyCopies) add(base, folder string) {
	r.mu.Lock()
	kept := !r.closed && r.folders[base] == "" && r.lab.bases.held(base)
	if kept {
		r.folders[base] = folder
	}
	r.mu.Unlock()
	if !kept {
		_ = os.RemoveAll(filepath.Dir(folder)) // as above
	}
}

// drop removes the copy of a base that is gone.
func (r *readyCopies) drop(base string) error {
	r.mu.Lock()
	ready := r.folders[base]
	delete(r.folders, base)
	r.mu.Unlock()
	if ready == "" {
		return nil
	}
	return os.RemoveAll(filepath.Dir(ready))
}

// remove deletes a folder that has no name any more while the caller goes on: it has
// hundreds of files, and their removal takes longer than all else of a deletion. One
// after the other: many at once would wait for each other.
func (r *readyCopies) remove(folder string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return os.RemoveAll(folder)
	}
	r.removed = append(r.removed, folder)
	r.changed.Broadcast()
	if !r.emptier {
		r.emptier = true
		r.making.Go(r.removeAll)
	}
	return nil
}

func (r *readyCopies) removeAll() {
	for {
		r.mu.Lock()
		for r.creating > 0 && len(r.removed) <= maxRemoved && !r.closed {
			r.changed.Wait()
		}
		if r.emptier = len(r.removed) > 0 && !r.closed; !r.emptier {
			r.mu.Unlock()
			return // who closes removes what is left
		}
		folder := r.removed[0]
		r.removed = r.removed[1:]
		r.mu.Unlock()
		_ = os.RemoveAll(folder) // as above
	}
}

// close waits for what is being made and removed, and removes all.
func (r *readyCopies) close() error {
	r.mu.Lock()
	r.closed = true
	r.changed.Broadcast()
	r.mu.Unlock()
	r.making.Wait()
	return os.RemoveAll(r.lab.unfinished())
}
