package limit

import (
	"encoding/binary"
	"errors"
)

// errBody is a stored state that cannot be read.
var errBody = errors.New("limit: stored state is damaged")

// appendBan and the others write varints: most states take a few bytes.
func appendBan(b []byte, s *ban) []byte {
	for _, v := range []int64{s.until, s.keep, int64(s.strikes), int64(s.level)} {
		b = binary.AppendVarint(b, v)
	}
	return b
}

func appendCell(b []byte, c *cell) []byte {
	b = binary.AppendVarint(b, c.ends)
	b = binary.AppendVarint(b, c.used)
	return appendBan(b, &c.ban)
}

func appendRolling(b []byte, r *rolling) []byte {
	b = appendBan(b, &r.ban)
	b = binary.AppendVarint(b, r.last)
	b = binary.AppendVarint(b, r.ends)
	b = binary.AppendVarint(b, int64(r.n))
	var before int64
	for i := range r.n {
		e := r.event(i)
		b = binary.AppendVarint(b, e.at-before)
		b = binary.AppendVarint(b, e.cost)
		before = e.at
	}
	return b
}

// reader takes varints off a body and remembers the first failure.
type reader struct {
	b   []byte
	err error
}

func (r *reader) int() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.err = errBody
		r.b = nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) byte() (v byte) {
	if len(r.b) == 0 {
		r.err = errBody
		return 0
	}
	v, r.b = r.b[0], r.b[1:]
	return v
}

func (r *reader) id() (k id) {
	if len(r.b) < len(k) {
		r.err = errBody
		return k
	}
	k = id(r.b[:len(k)])
	r.b = r.b[len(k):]
	return k
}

func (r *reader) ban() ban {
	return ban{until: r.int(), keep: r.int(), strikes: int32(r.int()), level: int32(r.int())}
}

func (r *reader) cell() cell {
	return cell{ends: r.int(), used: r.int(), ban: r.ban()}
}

func (r *reader) rolling() *rolling {
	s := &rolling{ban: r.ban(), last: r.int(), ends: r.int()}
	n := r.int()
	if n < 0 || n > 2*maxEvents {
		r.err = errBody
		return s
	}
	size := 4
	for int64(size) < n {
		size *= 2
	}
	s.ring = make([]event, size)
	var at int64
	for range n {
		at += r.int()
		s.ring[s.n] = event{at, r.int()}
		s.used = addSaturated(s.used, s.ring[s.n].cost)
		s.n++
	}
	return s
}
