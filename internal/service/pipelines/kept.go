package pipelines

import (
	"sync"

	"stoa.dev/stoa/internal/forge"
)

// maxKeptForms bounds how many encoded jobs are kept: some 3 kB each.
const maxKeptForms = 4096

// formKey names one encoded form of one version of a job. The project's name
// is part of it, because a rename changes what is encoded.
type formKey struct {
	id, version int64
	project     string
	look        look
}

// look is everything else that an encoded summary depends on.
type look struct {
	form    uint8
	vcs     vcs
	shallow bool
}

// keptForms keeps encoded summaries, so that a list is put together from
// pieces instead of being encoded again. It is two generations of a map: what
// was not asked for during a whole generation goes.
type keptForms struct {
	mu         sync.Mutex
	young, old map[formKey][]byte
	most       int
	// buffers are what lists were put together in, to be used again.
	buffers sync.Pool
}

// keptBuffer is the largest buffer that is used again.
const keptBuffer = 512 << 10

// buffer is an empty one to write into; give takes it back.
func (k *keptForms) buffer() []byte {
	if b, ok := k.buffers.Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return nil
}

func (k *keptForms) give(b []byte) {
	if cap(b) > 0 && cap(b) <= keptBuffer {
		k.buffers.Put(&b)
	}
}

func newKeptForms(most int) *keptForms {
	return &keptForms{young: map[formKey][]byte{}, most: most / 2}
}

// get fills in what is kept of the keys, all under one lock, and says how much
// is missing.
func (k *keptForms) get(keys []formKey, into [][]byte) (missing int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, key := range keys {
		form, ok := k.young[key]
		if !ok {
			if form, ok = k.old[key]; ok {
				k.add(key, form)
			}
		}
		if into[i] = form; !ok {
			missing++
		}
	}
	return missing
}

func (k *keptForms) put(key formKey, form []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.add(key, form)
}

func (k *keptForms) add(key formKey, form []byte) {
	if len(k.young) >= k.most {
		k.old, k.young = k.young, make(map[formKey][]byte, k.most)
	}
	k.young[key] = form
}

// source is what a commit says about its jobs. It never changes.
type source struct {
	commit forge.Commit
	config string
}

type sourceKey struct {
	repoID int64
	sha    string
}

// maxSources and maxKeptConfig bound what is kept of commits that were built
// from lately, so that running one again takes no git.
const (
	maxSources    = 256
	maxKeptConfig = 64 << 10
)

type keptSources struct {
	mu         sync.Mutex
	young, old map[sourceKey]source
}

func newKeptSources() *keptSources { return &keptSources{young: map[sourceKey]source{}} }

func (k *keptSources) get(key sourceKey) (source, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s, ok := k.young[key]
	if !ok {
		s, ok = k.old[key]
	}
	return s, ok
}

func (k *keptSources) put(key sourceKey, s source) {
	if len(s.config) > maxKeptConfig {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.young) >= maxSources/2 {
		k.old, k.young = k.young, map[sourceKey]source{}
	}
	k.young[key] = s
}
