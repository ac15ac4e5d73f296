package memo

import "sync"

// Answer is an encoded body with its entity tag. Both are shared: nobody
// changes them.
type Answer struct {
	Tag  string
	Body []byte
}

// overhead is what an entry costs besides its key, tag and body.
const overhead = 128

func (a Answer) size(key string) int { return len(key) + len(a.Tag) + len(a.Body) + overhead }

// Memo is a bounded set of answers, safe for concurrent use. It has two
// generations: when the young one fills half of the memory, the old one is
// dropped and the young one becomes it. What is used meanwhile moves over.
type Memo struct {
	half int // bytes a generation may have

	mu         sync.RWMutex
	young, old map[string]Answer
	size       int // of young
}

// New makes a Memo of at most so many bytes.
func New(bytes int) *Memo {
	return &Memo{half: bytes / 2, young: map[string]Answer{}}
}

// Get finds a kept answer.
func (m *Memo) Get(key string) (Answer, bool) {
	m.mu.RLock()
	a, ok := m.young[key]
	if ok {
		m.mu.RUnlock()
		return a, true
	}
	a, ok = m.old[key]
	m.mu.RUnlock()
	if ok {
		m.Put(key, a)
	}
	return a, ok
}

// Put keeps an answer. One that would fill a good part of the memory by itself
// is not worth its room.
func (m *Memo) Put(key string, a Answer) {
	n := a.size(key)
	if n > m.half/8 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.young[key]; ok {
		return
	}
	if m.size+n > m.half {
		m.old, m.young, m.size = m.young, make(map[string]Answer), 0
	}
	m.young[key] = a
	m.size += n
}
