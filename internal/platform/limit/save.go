package limit

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

// pageSize is how many bytes of state go into one row.
const pageSize = 64 << 10

const (
	tagCell    = 1
	tagRolling = 2
)

// Save writes the live windows of a limiter that counts in memory, so that a
// restart does not hand out every budget again. It does nothing on PostgreSQL,
// where every charge is durable, and without a database.
func (l *Limiter) Save(ctx context.Context) error {
	if l.memory == nil || l.db == nil {
		return nil
	}
	pages := l.memory.pages()
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

// pages encodes what has not expired, one shard at a time: requests wait for
// one 64th of the work at most.
func (m *memory) pages() (pages [][]byte) {
	var page []byte
	cut := func() {
		if len(page) >= pageSize {
			pages, page = append(pages, page), nil
		}
	}
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.Lock()
		now := m.now()
		for k, c := range s.keys.cells {
			if c.expires() > now {
				page = appendCell(append(append(page, tagCell), k[:]...), &c)
				cut()
			}
		}
		for k, r := range s.keys.rolls {
			if r.expires() > now {
				page = appendRolling(append(append(page, tagRolling), k[:]...), r)
				cut()
			}
		}
		s.mu.Unlock()
	}
	if len(page) > 0 {
		pages = append(pages, page)
	}
	return pages
}

// restore reads one page. Keys that have no room any more, because MaxKeys
// became smaller, are dropped.
func (m *memory) restore(body []byte) error {
	r := &reader{b: body}
	now := m.now()
	for len(r.b) > 0 && r.err == nil {
		tag, k := r.byte(), r.id()
		s := m.shard(k)
		switch tag {
		case tagCell:
			if c := r.cell(); r.err == nil {
				s.restoreCell(k, c, now)
			}
		case tagRolling:
			if w := r.rolling(); r.err == nil {
				s.restoreRolling(k, w, now)
			}
		default:
			r.err = errBody
		}
	}
	return r.err
}

func (s *shard) restoreCell(k id, c cell, now int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.keys.cells[k]; ok || !s.admit(now) {
		return
	}
	s.units++
	s.keys.cells[k] = c
}

func (s *shard) restoreRolling(k id, r *rolling, now int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.keys.rolls[k]; ok || !s.admit(now) {
		return
	}
	s.units += 1 + len(r.ring)/eventsPerUnit
	s.keys.rolls[k] = r
}
