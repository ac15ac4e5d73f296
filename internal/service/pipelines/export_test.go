package pipelines

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
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
		"busy": errBusy("project", 2000, 3, 2000),
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
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE pipelines_builds SET lease_owner = 'gone', lease_until = $2 WHERE id = $1`,
			id, database.Time(s.now().Add(-s.config.Lease)))
		return err
	})
}

// Break makes the database refuse rows of a table for which a condition holds,
// until Mend.
func (s *Service) Break(ctx context.Context, table, event, condition string) error {
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
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
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
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
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
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

// SecondWorker runs jobs under another name, as a second process does.
func (s *Service) SecondWorker(ctx context.Context, capacity int) (stop func(), err error) {
	other := *s
	other.queue = newQueue(&other)
	if err := other.queue.start(ctx, capacity); err != nil {
		return nil, err
	}
	return func() { _ = other.queue.close() }, nil
}

// Unfinished counts the jobs that wait or run.
func (s *Service) Unfinished(ctx context.Context) (int64, error) {
	return database.One(ctx, s.world.DB, scanID,
		`SELECT COUNT(*) FROM pipelines_builds WHERE lifecycle IN ('not_running', 'queued', 'running')`)
}

// TurnsModel is one process that gives out places, without a database.
type TurnsModel struct {
	turns   *turns
	total   int
	used    int
	queue   []demand
	running []demand
	ids     int64
}

// NewTurnsModel bounds what owners and projects run.
func NewTurnsModel(places, owner, project int) *TurnsModel {
	limits := Queue{OwnerRunning: owner, ProjectRunning: project}
	return &TurnsModel{total: places, turns: &turns{
		limits: limits, perOwner: limits.ownerPlaces(places), here: map[int64]int{},
		owners: map[int64]int64{}, projects: map[int64]int64{}, served: map[int64]int64{},
	}}
}

// Queue adds a job.
func (m *TurnsModel) Queue(owner, repo int64) {
	m.ids++
	m.queue = append(m.queue, demand{owner: owner, repo: repo, id: m.ids})
}

// End ends a node of an owner, if one runs.
func (m *TurnsModel) End(owner int64) {
	for i, d := range m.running {
		if d.owner == owner {
			m.running = append(m.running[:i:i], m.running[i+1:]...)
			m.turns.here[owner]--
			m.turns.owners[owner]--
			m.turns.projects[d.repo]--
			m.used--
			return
		}
	}
}

// Next gives out one place and says to whom.
func (m *TurnsModel) Next() (int64, bool) {
	if m.used == m.total {
		return 0, false
	}
	i := m.turns.next(m.queue)
	if i < 0 {
		return 0, false
	}
	d := m.queue[i]
	m.queue = append(m.queue[:i:i], m.queue[i+1:]...)
	m.turns.take(d)
	m.running = append(m.running, d)
	m.used++
	return d.owner, true
}

// Eligible tells that an owner waits for nothing but a free place.
func (m *TurnsModel) Eligible(owner int64) bool {
	for _, d := range m.queue {
		if d.owner == owner && m.turns.may(d) {
			return true
		}
	}
	return false
}

// Running is how many nodes of an owner run.
func (m *TurnsModel) Running(owner int64) int64 { return m.turns.owners[owner] }

// Check says which promise is broken, if one is.
func (m *TurnsModel) Check() string {
	if m.used > m.total {
		return "more nodes run than there are places"
	}
	for owner, n := range m.turns.here {
		if n > m.turns.perOwner || m.turns.owners[owner] > int64(m.turns.limits.OwnerRunning) {
			return "an owner runs more than its bound"
		}
		if n == m.total && m.total > 1 {
			return "an owner holds every place"
		}
	}
	for _, n := range m.turns.projects {
		if n > int64(m.turns.limits.ProjectRunning) {
			return "a project runs more than its bound"
		}
	}
	if m.used < m.total && m.turns.next(m.queue) >= 0 {
		return "a place is free that somebody may have"
	}
	return ""
}

// FillPushes puts as many pushes of a user into the queue as may wait.
func (s *Service) FillPushes(ctx context.Context, userID int64) error {
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		for range maxPushes {
			_, err := s.world.Jobs.Enqueue(ctx, tx, jobs.Enqueue{
				Kind: pushKind, Payload: pushPayload{}, Owner: ownerKey(userID), At: s.now().Add(time.Hour),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// OutputBytes is what is counted of a project's output.
func (s *Service) OutputBytes(ctx context.Context, repoID int64) (int64, error) {
	return database.One(ctx, s.world.DB, scanID, `SELECT output_bytes FROM pipelines_projects WHERE repo_id = $1`, repoID)
}
