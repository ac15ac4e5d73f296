package pipelines

import (
	"context"
	"net/http"
	"sync/atomic"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

// WriteError is the envelope, for its table test.
func (s *Service) WriteError(w http.ResponseWriter, r *route.Request, err error) {
	s.writeError(w, r, err)
}

// Errors are examples of every refusal of the service's own.
func Errors() map[string]error {
	return map[string]error{
		"not found": errProject(), "forbidden": errPersonal(), "invalid": errInvalid("filter is odd"),
		"conflict": errConflict("it does not wait"), "login": errLogin(), "gone": errGone("the artifact has expired"),
	}
}

// Script stands for the engine: it says how a node of a job goes.
type Script func(ctx context.Context, t execute.Task, h execute.Host, r execute.Reporter) (execute.Outcome, error)

type scripted struct{ script atomic.Pointer[Script] }

func (*scripted) Open(context.Context) error { return nil }
func (*scripted) Close() error               { return nil }

func (s *scripted) Run(ctx context.Context, t execute.Task, h execute.Host, r execute.Reporter) (execute.Outcome, error) {
	return (*s.script.Load())(ctx, t, h, r)
}

// Play replaces the engine before the service starts, and its script later.
func (s *Service) Play(script Script) {
	engine, ok := s.engine.(*scripted)
	if !ok {
		engine = &scripted{}
		s.engine = engine
	}
	engine.script.Store(&script)
}

// Prefixes and Handler are those of the module.
func (s *Service) Pages() http.Handler { return route.New(s.pageOptions(), s.pageRoutes()) }

// PageRoutes are the routes of the pages.
func (s *Service) PageRoutes() []route.Route { return s.pageRoutes() }

// StopWorker ends the queue as the end of the process does; Reap looks after
// the jobs of dead workers at once.
func (s *Service) StopWorker() error { return s.queue.close() }

// StartWorker begins again under a name of its own, as another process does.
func (s *Service) StartWorker(ctx context.Context, capacity int) error {
	s.queue = newQueue(s)
	return s.queue.start(ctx, capacity)
}

// Orphan makes a running job look as if a worker that is gone held it.
func (s *Service) Orphan(ctx context.Context, id int64) error {
	return s.world.DB.Write(ctx, func(tx *database.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE pipelines_builds SET lease_owner = 'gone', lease_until = $2 WHERE id = $1`,
			id, database.Time(s.now().Add(-s.config.Lease)))
		return err
	})
}

// Break makes the database refuse rows of a table for which a condition holds,
// until Mend.
func (s *Service) Break(ctx context.Context, table, event, condition string) error {
	return s.world.DB.Write(ctx, func(tx *database.Tx) error {
		text := "ALTER TABLE " + table + " ADD CONSTRAINT broken CHECK (NOT (" + condition + ")) NOT VALID"
		if s.world.DB.Engine() == database.SQLite {
			text = "CREATE TRIGGER broken AFTER " + event + " ON " + table + " WHEN EXISTS (SELECT 1 FROM " + table +
				" WHERE rowid = NEW.rowid AND " + condition + ") BEGIN SELECT RAISE(ABORT, 'broken'); END"
		}
		_, err := tx.Exec(ctx, text)
		return err
	})
}

// Mend ends Break.
func (s *Service) Mend(ctx context.Context, table string) error {
	return s.world.DB.Write(ctx, func(tx *database.Tx) error {
		text := "ALTER TABLE " + table + " DROP CONSTRAINT broken"
		if s.world.DB.Engine() == database.SQLite {
			text = "DROP TRIGGER broken"
		}
		_, err := tx.Exec(ctx, text)
		return err
	})
}

// Exec changes rows behind the back of the service.
func (s *Service) Exec(ctx context.Context, text string, args ...any) error {
	return s.world.DB.Write(ctx, func(tx *database.Tx) error {
		_, err := tx.Exec(ctx, text, args...)
		return err
	})
}

// Sent counts the messages of the service.
func (s *Service) Sent(ctx context.Context) (int64, error) {
	return database.One(ctx, s.world.DB, scanID, `SELECT COUNT(*) FROM deliver_messages WHERE service = $1`, Name)
}

// Abandon makes this process forget a job that it runs, as it does when the end
// of it cannot be written, and lets the lease end.
func (s *Service) Abandon(ctx context.Context, id int64) error {
	s.queue.mu.Lock()
	delete(s.queue.held, id)
	s.queue.mu.Unlock()
	return s.Exec(ctx, `UPDATE pipelines_builds SET lease_until = $2 WHERE id = $1`, id, database.Time(s.now().Add(-s.config.Lease)))
}

// Pushed runs the row of a push.
func (s *Service) Pushed(ctx context.Context, wish string, repoID int64, ref, revision string) error {
	return s.pushed(ctx, wish, pushPayload{RepoID: repoID, Ref: ref, Revision: revision})
}

// Wishes counts what is remembered of pushes.
func (s *Service) Wishes(ctx context.Context) (int64, error) {
	return database.One(ctx, s.world.DB, scanID, `SELECT COUNT(*) FROM pipelines_wishes`)
}

// FollowFrom takes the place of a stream.
func (s *Service) FollowFrom(address string) (func(), error) { return s.queue.follow(address) }

// Blobs counts what is kept below a prefix.
func (s *Service) Blobs(ctx context.Context, prefix string) (int, error) {
	list, err := s.world.Blobs.List(ctx, prefix, "", 100)
	return len(list), err
}
