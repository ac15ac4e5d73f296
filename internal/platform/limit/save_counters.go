package limit

import (
	"context"
	"encoding/binary"
	"errors"

	"stoa.dev/stoa/internal/platform/database"
)

// pageSize is how many bytes of state go into one row.
const pageSize = 64 << 10

// tagFixed marks a fixed window in a page.
const tagFixed = 1

// Save writes the live windows of a limiter that counts in memory, so that a
// restart does not hand out every budget again. It does nothing on PostgreSQL,
// where every charge is durable, without a database, and when nothing was charged
// since the last time.
func (l *Limiter) Save(ctx context.Context) error {
	if l.memory == nil || l.db == nil {
		return nil
	}
	l.memory.saving.Lock()
	defer l.memory.saving.Unlock()
	pages, changed := l.memory.pages()
	if !changed {
		return nil
	}
	err := l.writePages(ctx, pages)
	if err != nil {
		l.memory.shards[0].keepUnsaved()
	}
	return err
}

func (l *Limiter) writePages(ctx context.Context, pages [][]byte) error {
	return l.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM stoa_limit_pages`); err != nil {
			return err
		}
		for i, body := range pages {
			_, err := tx.Exec(ctx, `INSERT INTO stoa_limit_pages (page, body) VALUES ($1, $2)`, int64(i), body)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Load restores what Save wrote, for a limiter that has not counted yet. Keys
// that were charged since keep what they have.
func (l *Limiter) Load(ctx context.Context) error {
	if l.memory == nil || l.db == nil {
		return nil
	}
	bodies, err := database.All(ctx, l.db, scanBody, `SELECT body FROM stoa_limit_pages ORDER BY page`)
	if err != nil {
		return err
	}
	for _, body := range bodies {
		if err := l.memory.restore(body); err != nil {
			return err
		}
	}
	return nil
}

func scanBody(s database.Scanner) (body []byte, err error) {
	err = s.Scan(&body)
	return body, err
}

// keepUnsaved has the next Save write all counters again.
func (s *shard) keepUnsaved() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unsaved = true
}

// pages encodes what has not expired, one shard at a time: requests wait for
// one 64th of the work at most. changed reports whether some counter was charged
// since the last call.
func (m *memory) pages() (pages [][]byte, changed bool) {
	var page []byte
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.Lock()
		now := m.now()
		changed, s.unsaved = changed || s.unsaved, false
		for k, c := range s.counters.Entries() {
			if c.expires() <= now {
				continue
			}
			page = append(append(page, tagFixed), k[:]...)
			page = binary.AppendVarint(page, c.ends)
			page = binary.AppendVarint(page, c.used)
			page = appendBan(page, &c.ban)
			if len(page) >= pageSize {
				pages, page = append(pages, page), nil
			}
		}
		s.mu.Unlock()
	}
	if len(page) > 0 {
		pages = append(pages, page)
	}
	return pages, changed
}

// restore reads one page. Keys for which there is no space any more, because
// MaxKeys became smaller, are dropped.
func (m *memory) restore(body []byte) error {
	r := &reader{b: body}
	now := m.now()
	for len(r.b) > 0 {
		k := r.id()
		c := counter{ends: r.int(), used: r.int(), ban: r.ban()}
		if r.err != nil {
			return r.err
		}
		m.shard(k).restore(k, c, now)
	}
	return nil
}

func (s *shard) restore(k id, c counter, now int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.counters.Get(k); !ok && s.admit(now) {
		s.counters.Set(k, c)
	}
}

// errDamaged is a stored state that cannot be read.
var errDamaged = errors.New("limit: stored state is damaged")

// appendBan writes varints: most states take a few bytes.
func appendBan(b []byte, s *ban) []byte {
	for _, v := range []int64{s.until, s.keep, int64(s.strikes), int64(s.level)} {
		b = binary.AppendVarint(b, v)
	}
	return b
}

// reader takes values off a body and remembers the first failure.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail() {
	r.b, r.err = nil, errDamaged
}

func (r *reader) int() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

// id reads the tag and the key of a window.
func (r *reader) id() (k id) {
	if len(r.b) < 1+len(k) || r.b[0] != tagFixed {
		r.fail()
		return k
	}
	k = id(r.b[1:])
	r.b = r.b[1+len(k):]
	return k
}

func (r *reader) ban() ban {
	return ban{until: r.int(), keep: r.int(), strikes: int32(r.int()), level: int32(r.int())}
}
