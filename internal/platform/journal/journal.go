package journal

import (
	"context"
	"hash/maphash"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// Mode is how much is kept.
type Mode int32

// Off keeps nothing, Brief neither headers nor bodies, Full everything.
const (
	Off Mode = iota
	Brief
	Full
)

// Options are the bounds of a journal; zero means the default.
type Options struct {
	// MaxRecords and MaxBytes bound what is kept; the oldest records go first.
	MaxRecords int
	MaxBytes   int64
	// MaxBody is how much of a body is kept.
	MaxBody int
	// Pool is shared by the journals of a process; nil means no other bound.
	Pool *Pool
}

const (
	defaultRecords = 100_000
	defaultBytes   = 64 << 20
	defaultBody    = 64 << 10
)

// chunkSize is how many records lie in one piece of the list.
const chunkSize = 64

// chunk is a piece of the list with its records, which are allocated and freed
// together: one by one they cost more than what is written into them. Readers need no
// lock: a slot is set once, and emptied when its record goes.
type chunk struct {
	first   uint64 // number of the record in the first slot
	slots   [chunkSize]atomic.Pointer[Record]
	records [chunkSize]Record
}

// Journal keeps the records of one world. It is safe for concurrent use; a nil
// one is off.
type Journal struct {
	maxRecords uint64
	maxBytes   int64
	maxBody    int
	pool       *Pool
	mode       atomic.Int32
	// meter is the machine's clock, and born when the journal was made on it.
	meter clock.Clock
	born  time.Time
	// ended is the number of the newest record.
	ended atomic.Uint64

	mu       sync.Mutex
	chunks   []*chunk // oldest first
	texts    textBlock
	answers  answerIndex
	oldest   uint64 // number of the oldest record
	next     uint64 // number of the next record
	bytes    int64
	watchers []*Watcher
	watched  atomic.Bool
	closed   bool
}

// New makes a journal that is off.
func New(o Options) *Journal {
	j := &Journal{
		maxRecords: defaultRecords, maxBytes: defaultBytes, maxBody: defaultBody, pool: o.Pool, oldest: 1, next: 1,
		meter: clock.Real(), answers: answerIndex{seed: maphash.MakeSeed()},
	}
	j.born = j.meter.Now()
	if o.MaxRecords > 0 {
		j.maxRecords = uint64(o.MaxRecords)
	}
	if o.MaxBytes > 0 {
		j.maxBytes = o.MaxBytes
	}
	if o.MaxBody > 0 {
		j.maxBody = o.MaxBody
	}
	return j
}

// Mode is how much is kept of requests that begin now.
func (j *Journal) Mode() Mode {
	if j == nil {
		return Off
	}
	return Mode(j.mode.Load())
}

// SetMode changes how much is kept. Off forgets what was kept.
func (j *Journal) SetMode(m Mode) {
	j.mode.Store(int32(m))
	if m == Off {
		j.Clear()
	}
}

// Begin starts the record of a request; nil means that nothing is kept of it.
func (j *Journal) Begin(ctx context.Context) *Draft {
	mode := j.Mode()
	if mode == Off {
		return nil
	}
	d := &Draft{parent: ctx, journal: j, after: j.ended.Load(), began: j.meter.Now().Sub(j.born)}
	if mode == Full {
		d.bodies = takeBodies()
	}
	return d
}

// add numbers a record with its text and its answer's body, keeps it and lets the
// oldest go.
func (j *Journal) add(unkept *Record, text, answer []byte) *Record {
	place := j.answers.place(answer)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.Mode() == Off || j.closed {
		r := *unkept
		r.text, r.answer = string(text), string(answer)
		return &r
	}
	number := j.next
	j.next++
	j.ended.Store(number)
	last := len(j.chunks) - 1
	if last < 0 || number-j.chunks[last].first >= chunkSize {
		j.chunks = append(j.chunks, &chunk{first: number})
		last = len(j.chunks) - 1
	}
	c := j.chunks[last]
	r := &c.records[number-c.first]
	*r = *unkept
	r.number, r.text, r.answer = number, j.texts.keep(text), j.keepAnswer(number, place, answer)
	c.slots[number-c.first].Store(r)
	j.bytes += r.size()
	j.pool.grow(r.size(), j.bytes == r.size())
	j.evict()
	if j.watched.Load() {
		for _, w := range j.watchers {
			w.tell(r)
		}
	}
	return r
}

// evict lets the oldest go while a bound is passed; the caller holds mu.
func (j *Journal) evict() {
	limit := min(j.maxBytes, j.pool.share())
	for j.oldest < j.next && (j.next-j.oldest > j.maxRecords || j.bytes > limit) {
		c := j.chunks[0]
		slot := &c.slots[j.oldest-c.first]
		size := slot.Load().size()
		slot.Store(nil)
		j.bytes -= size
		j.pool.grow(-size, j.bytes == 0)
		j.oldest++
		if j.oldest-c.first == chunkSize {
			j.chunks[0] = nil
			j.chunks = j.chunks[1:]
		}
	}
}

// Clear forgets every record. Numbers go on, so that none is given twice.
func (j *Journal) Clear() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.clear()
}

// Reset forgets every record and begins with number 1 again.
func (j *Journal) Reset() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.clear()
	j.oldest, j.next = 1, 1
	j.ended.Store(0)
}

func (j *Journal) clear() {
	if j.bytes > 0 {
		j.pool.grow(-j.bytes, true)
	}
	j.chunks, j.bytes, j.oldest, j.texts = nil, 0, j.next, textBlock{}
}

// Close forgets every record and ends those who watch.
func (j *Journal) Close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.clear()
	j.closed = true
	for _, w := range j.watchers {
		close(w.records)
	}
	j.watchers = nil
}

// Count is how many records there are, and Bytes what they take.
func (j *Journal) Count() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return int(j.next - j.oldest)
}

// Bytes is what the records take.
func (j *Journal) Bytes() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.bytes
}

// Get finds a record by its number; nil where there is none, or none any more.
func (j *Journal) Get(number uint64) *Record {
	chunks, _ := j.view()
	for _, c := range chunks {
		if number >= c.first && number-c.first < chunkSize {
			return c.slots[number-c.first].Load()
		}
	}
	return nil
}

// view is the list as it is now. Records that go meanwhile are missing in it.
func (j *Journal) view() (chunks []*chunk, next uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.chunks), j.next
}

// NewestFirst ranges over the records with a number below before, 0 for all.
func (j *Journal) NewestFirst(before uint64) iter.Seq[*Record] {
	chunks, next := j.view()
	if before == 0 || before > next {
		before = next
	}
	return func(yield func(*Record) bool) {
		for _, c := range slices.Backward(chunks) {
			if c.first >= before {
				continue
			}
			for i := min(before-c.first, chunkSize); i > 0; i-- {
				if r := c.slots[i-1].Load(); r != nil && !yield(r) {
					return
				}
			}
		}
	}
}

// OldestFirst ranges over all records in the order in which they ended.
func (j *Journal) OldestFirst() iter.Seq[*Record] {
	chunks, _ := j.view()
	return func(yield func(*Record) bool) {
		for _, c := range chunks {
			for i := range c.slots {
				if r := c.slots[i].Load(); r != nil && !yield(r) {
					return
				}
			}
		}
	}
}
