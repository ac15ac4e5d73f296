package journal

import (
	"context"
	"reflect"
	"sync"
	"time"
)

// Draft is the record of a request that is being served. It is a context, so that
// what the request does can be noted from below: From finds it. A nil draft takes
// everything and keeps nothing.
type Draft struct {
	parent  context.Context //nolint:containedctx // it is one
	journal *Journal
	bodies  *bodies // nil when none are kept
	// after and began are those of the record.
	after uint64
	began time.Duration

	mu               sync.Mutex // work for the request may run beside its handler
	fault, faultRule string
	delay            Delay
	decoded          reflect.Type
	limits           []Limit
	caused           []Cause
}

// Cause is something that the request made happen.
type Cause struct {
	// Kind is the kind of job, or "delivery" or "event".
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

// Limit is a budget that the request was charged to, as it was afterwards.
type Limit struct {
	Name      string    `json:"name"`
	Limit     int64     `json:"limit"`
	Remaining int64     `json:"remaining"`
	Reset     time.Time `json:"reset,omitzero"`
	Refused   bool      `json:"refused,omitempty"`
}

// maxNotes bounds causes and limits of one request.
const maxNotes = 100

type draftKey struct{}

// From is the draft of the request that ctx belongs to, or nil.
func From(ctx context.Context) *Draft {
	d, _ := ctx.Value(draftKey{}).(*Draft)
	return d
}

// Deadline is the parent's.
func (d *Draft) Deadline() (time.Time, bool) { return d.parent.Deadline() }

// Done is the parent's.
func (d *Draft) Done() <-chan struct{} { return d.parent.Done() }

// Err is the parent's.
func (d *Draft) Err() error { return d.parent.Err() }

// Value finds the draft itself, and what the parent has.
func (d *Draft) Value(key any) any {
	if key == (draftKey{}) {
		return d
	}
	return d.parent.Value(key)
}

// Slot is a context that receives the record of the request that is made with it.
type Slot struct {
	context.Context //nolint:containedctx // it is one

	mu     sync.Mutex
	record *Record
}

type slotKey struct{}

// NewSlot makes a slot out of a context.
func NewSlot(ctx context.Context) *Slot { return &Slot{Context: ctx} }

// Value finds the slot itself, and what the context has.
func (s *Slot) Value(key any) any {
	if key == (slotKey{}) {
		return s
	}
	return s.Context.Value(key)
}

// Record is nil until the request is done.
func (s *Slot) Record() *Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.record
}

func (s *Slot) put(r *Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record = r
}

// SetFault notes the fault that answered, or changed the answer, and the rule it is of.
func (d *Draft) SetFault(name, rule string) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault, d.faultRule = name, rule
}

// SetDecoded notes the type that the body was read into: members that it does not
// have were not read.
func (d *Draft) SetDecoded(t reflect.Type) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.decoded = t
}

// AddCause notes what the request made happen.
func (d *Draft) AddCause(kind, id string) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.caused) < maxNotes {
		d.caused = append(d.caused, Cause{Kind: kind, ID: id})
	}
}

// AddLimit notes what is left of a budget.
func (d *Draft) AddLimit(l Limit) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.limits) < maxNotes {
		d.limits = append(d.limits, l)
	}
}

// bodies are the beginnings of both bodies. They are reused: a record gets a copy
// of the right size.
type bodies struct {
	request, response       []byte
	requestCut, responseCut bool
	// What a record is put together in.
	record Record
	text   []byte
}

var bodiesPool = sync.Pool{New: func() any { return new(bodies) }}

func takeBodies() *bodies { return bodiesPool.Get().(*bodies) }

// release gives the buffers back. The draft keeps no more bodies. The caller holds
// mu.
func (d *Draft) release() {
	b := d.bodies
	if b == nil {
		return
	}
	d.bodies = nil
	*b = bodies{request: b.request[:0], response: b.response[:0], text: b.text[:0]}
	bodiesPool.Put(b)
}

// WantsResponse is how many more bytes of the answer's body are kept.
func (d *Draft) WantsResponse() (n int) {
	d.withBodies(func(b *bodies) { n = d.journal.maxBody - len(b.response) })
	return n
}

// AddRequest takes what was read of the request's body.
func (d *Draft) AddRequest(p []byte) {
	d.withBodies(func(b *bodies) {
		b.request, b.requestCut = keep(b.request, p, d.journal.maxBody, b.requestCut)
	})
}

// CutRequest says that some of the request's body was not seen.
func (d *Draft) CutRequest() { d.withBodies(func(b *bodies) { b.requestCut = true }) }

// AddResponse takes what was written of the answer's body.
func (d *Draft) AddResponse(p []byte) {
	d.withBodies(func(b *bodies) {
		b.response, b.responseCut = keep(b.response, p, d.journal.maxBody, b.responseCut)
	})
}

// CutResponse says that some of the answer's body was not seen.
func (d *Draft) CutResponse() { d.withBodies(func(b *bodies) { b.responseCut = true }) }

// withBodies does something to the bodies, where they are kept.
func (d *Draft) withBodies(f func(*bodies)) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bodies != nil {
		f(d.bodies)
	}
}

func keep(have, more []byte, limit int, cut bool) ([]byte, bool) {
	n := min(len(more), limit-len(have))
	return append(have, more[:n]...), cut || n < len(more)
}
