package pipelines

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/execute"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

// Script stands for the engine: it says how a node of a job goes.
type Script func(ctx context.Context, t execute.Task, h execute.Host, r execute.Reporter) (execute.Outcome, error)

// Engine plays a script instead of running programs.
type Engine struct{ script atomic.Pointer[Script] }

func (*Engine) Open(context.Context) error { return nil }
func (*Engine) Close() error               { return nil }

func (e *Engine) Run(ctx context.Context, t execute.Task, h execute.Host, r execute.Reporter) (execute.Outcome, error) {
	return (*e.script.Load())(ctx, t, h, r)
}

// Play sets the script of the jobs that start from now on.
func (e *Engine) Play(script Script) { e.script.Store(&script) }

// NewWith is New with another engine.
func NewWith(w *world.World, identity *identity.Identity, f *forge.Forge, c Config, e *Engine) *Service {
	return newService(w, identity, f, c, e)
}

// WriteError is the envelope, for its table test.
func (s *Service) WriteError(w http.ResponseWriter, r *route.Request, err error) {
	s.writeError(w, r, err)
}

// Errors are examples of every refusal.
func Errors() map[string]error {
	return map[string]error{
		"not found": errNotFound("Project not found"), "invalid": errInvalid("filter is odd"),
		"forbidden": project.Personal(&identity.Caller{Kind: identity.KindProject}),
		"conflict":  errConflict("it does not wait"), "login": project.ErrLogin(),
		"gone": errGone("the artifact has expired"),
		"busy": refusal.New(refusal.Busy, "Too many jobs: the project has 2000 unfinished ones and this would add 3, "+
			"the limit is 2000. Wait until some have ended, or cancel some."),
	}
}

// Pages is the handler of the pages.
func (s *Service) Pages() http.Handler { return s.web.Handler(s.muxOptions(), s.classify) }

// PageRoutes are the routes of the pages.
func (s *Service) PageRoutes() []route.Route { return s.web.Routes() }

// Projects are the service's.
func (s *Service) Projects() *project.Projects { return s.projects }

// StopWorker ends the runner as the end of the process does, StartWorker begins again as another process does.
func (s *Service) StopWorker() error { return s.runner.Close() }

func (s *Service) StartWorker(ctx context.Context, capacity int) error {
	return s.runner.Start(ctx, capacity)
}

// SecondWorker runs jobs under another name, as a second process does.
func (s *Service) SecondWorker(ctx context.Context, capacity int, e *Engine) (stop func(), err error) {
	other := s.newRunner(e)
	if err := other.Start(ctx, capacity); err != nil {
		return nil, err
	}
	return func() { _ = other.Close() }, nil
}

// Sweep forgets what has expired.
func (s *Service) Sweep(ctx context.Context) error { return s.sweep(ctx) }

// Orphan makes a running job look as if a worker that is gone held it.
func (s *Service) Orphan(ctx context.Context, id int64) error {
	return s.Exec(ctx, `UPDATE pipelines_builds SET lease_owner = 'gone', lease_until = $2 WHERE id = $1`,
		id, database.Time(s.now().Add(-s.config.Lease)))
}

// EndLease lets the lease of a running job end.
func (s *Service) EndLease(ctx context.Context, id int64) error {
	return s.Exec(ctx, `UPDATE pipelines_builds SET lease_until = $2 WHERE id = $1`,
		id, database.Time(s.now().Add(-s.config.Lease)))
}

// Break makes the database refuse rows of a table for which a condition holds, until Mend.
func (s *Service) Break(ctx context.Context, table, event, condition string) error {
	text := "ALTER TABLE " + table + " ADD CONSTRAINT broken CHECK (NOT (" + condition + ")) NOT VALID"
	if s.world.DB.Engine() == database.SQLite {
		text = "CREATE TRIGGER broken AFTER " + event + " ON " + table + " WHEN EXISTS (SELECT 1 FROM " + table +
			" WHERE rowid = NEW.rowid AND " + condition + ") BEGIN SELECT RAISE(ABORT, 'broken'); END"
	}
	return s.Exec(ctx, text)
}

// Mend ends Break.
func (s *Service) Mend(ctx context.Context, table string) error {
	if s.world.DB.Engine() == database.SQLite {
		return s.Exec(ctx, "DROP TRIGGER broken")
	}
	return s.Exec(ctx, "ALTER TABLE "+table+" DROP CONSTRAINT broken")
}

// Exec changes rows behind the back of the service.
func (s *Service) Exec(ctx context.Context, text string, args ...any) error {
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, text, args...)
		return err
	})
}

// Count is the number that a query finds.
func (s *Service) Count(ctx context.Context, text string, args ...any) (int64, error) {
	return database.One(ctx, s.world.DB, func(s database.Scanner) (n int64, err error) {
		err = s.Scan(&n)
		return n, err
	}, text, args...)
}

// Sent counts the messages of the service.
func (s *Service) Sent(ctx context.Context) (int64, error) {
	return s.Count(ctx, `SELECT COUNT(*) FROM deliver_messages WHERE service = $1`, Name)
}

// Requests counts what is remembered of pushes.
func (s *Service) Requests(ctx context.Context) (int64, error) {
	return s.Count(ctx, `SELECT COUNT(*) FROM pipelines_wishes`)
}

// Unfinished counts the jobs that wait or run.
func (s *Service) Unfinished(ctx context.Context) (int64, error) {
	return s.Count(ctx,
		`SELECT COUNT(*) FROM pipelines_builds WHERE lifecycle IN ('not_running', 'queued', 'running')`)
}

// OutputBytes is what is counted of a project's output.
func (s *Service) OutputBytes(ctx context.Context, repoID int64) (int64, error) {
	return s.Count(ctx, `SELECT output_bytes FROM pipelines_projects WHERE repo_id = $1`, repoID)
}

// Pushed runs the row of a push.
func (s *Service) Pushed(ctx context.Context, request string, repoID int64, ref, revision string) error {
	return s.pushed(ctx, request, pushPayload{RepoID: repoID, Ref: ref, Revision: revision})
}

// Due runs a due time of a schedule, as the row of the queue does.
func (s *Service) Due(ctx context.Context, repoID int64, branch, workflow, cron string, due time.Time) error {
	return s.due(ctx, duePayload{RepoID: repoID, Branch: branch, Workflow: workflow, Cron: cron, Due: due})
}

// Scheduled runs the row that asks for the jobs of a due time.
func (s *Service) Scheduled(ctx context.Context, request string, repoID int64, branch, workflow, cron string) error {
	return s.scheduled(ctx, request, duePayload{RepoID: repoID, Branch: branch, Workflow: workflow, Cron: cron})
}

// PlannedCommands are the commands of a job, one a line.
func (s *Service) PlannedCommands(ctx context.Context, id int64) (text string, err error) {
	p, err := build.PlanOf(ctx, s.world.DB, id)
	for _, step := range p.Job.Steps {
		if step.Run != nil {
			text += step.Run.Command + "\n"
		}
	}
	return text, err
}

// Blobs counts what is kept below a prefix.
func (s *Service) Blobs(ctx context.Context, prefix string) (int, error) {
	list, err := s.world.Blobs.List(ctx, prefix, "", 100)
	return len(list), err
}

// FillPushes puts as many pushes of a user into the queue as may wait.
func (s *Service) FillPushes(ctx context.Context, userID int64) error {
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		for range maxPushes {
			_, err := s.world.Jobs.Enqueue(ctx, tx, jobs.Enqueue{
				Kind: pushKind, Payload: pushPayload{Owner: userID}, Owner: build.OwnerKey(userID), At: s.now().Add(time.Hour),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// DropPushes deletes the pushes on the queue, as an operator does who discards them.
func (s *Service) DropPushes(ctx context.Context) error {
	return s.Exec(ctx, `DELETE FROM stoa_jobs WHERE kind = $1`, pushKind)
}

// Kept counts what is stored of a project's artifacts, caches and workspaces.
func (s *Service) Kept(ctx context.Context, repoID int64) (int64, error) {
	return s.Count(ctx, `SELECT (SELECT COUNT(*) FROM pipelines_artifacts WHERE repo_id = $1)
		+ (SELECT COUNT(*) FROM pipelines_caches WHERE repo_id = $1)
		+ (SELECT COUNT(*) FROM pipelines_layers WHERE repo_id = $1)`, repoID)
}
