package pipelines

import "sync"

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
