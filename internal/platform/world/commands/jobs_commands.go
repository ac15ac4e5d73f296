package commands

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/jobs/store"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
)

// shownJob is a job as operators see it. What it works on is not shown: it may
// hold secrets. Its size is.
type shownJob struct {
	ID    string     `json:"id"`
	Kind  string     `json:"kind"`
	State jobs.State `json:"state"`
	Owner string     `json:"owner,omitempty"`
	// Lane is the key of those that run one after the other.
	Lane        string    `json:"lane,omitempty"`
	Attempt     int       `json:"attempt"`
	MaxAttempts int       `json:"max_attempts"`
	Deaths      int       `json:"deaths,omitempty"`
	Enqueued    time.Time `json:"enqueued"`
	// Next is when it runs next, or when its lease ends while it runs.
	Next         time.Time `json:"next,omitzero"`
	Failed       time.Time `json:"failed,omitzero"`
	Error        string    `json:"error,omitempty"`
	PayloadBytes int       `json:"payload_bytes,omitempty"`
}

func showJob(i jobs.Info) shownJob {
	s := shownJob{
		ID: i.ID, Kind: i.Kind, State: i.State, Owner: i.Owner, Lane: i.Key, Attempt: i.Attempt, MaxAttempts: i.MaxAttempts,
		Deaths: i.Deaths, Enqueued: i.Enqueued, Failed: i.FailedAt, Error: i.Error,
	}
	switch i.State {
	case jobs.Dead:
	case jobs.Blocked:
		s.Error = "it waits for the job before it on its lane" + also(i.Error)
	default:
		s.Next = i.ClaimAt
	}
	return s
}

// also is what the last attempt of a job that waits ended with.
func also(err string) string {
	if err == "" {
		return ""
	}
	return "; its last attempt: " + err
}

// listedJobs is the answer of "jobs list".
type listedJobs struct {
	Jobs []shownJob `json:"jobs"`
}

func jobsList(w *world.World) module.Command {
	var states []string
	for _, s := range jobs.States() {
		states = append(states, string(s))
	}
	return module.Command{
		Path:  "jobs list",
		Short: "list background jobs that are not finished, oldest first",
		Long: "Dead jobs failed for good and wait for retry or discard; they are kept for 30 days. " +
			"Suspect jobs were held by a process that ended and run alone next.",
		Flags: []module.Flag{
			{Name: "state", OneOf: states, Help: "only jobs in this state"},
			{Name: "kind", Help: "only jobs of this kind, such as snapshots.render"},
			{Name: "owner", Help: "only jobs of this owner"},
			{Name: "lane", Help: "only jobs of this lane"},
			{Name: "after", Help: "go on after the job with this id"},
			{Name: "limit", Kind: module.Int, Default: "100", Help: "how many at most, up to 1000"},
		},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			found, err := w.Jobs.List(ctx, jobs.Filter{
				State: jobs.State(in.Text("state")), Kind: in.Text("kind"), Owner: in.Text("owner"), Key: in.Text("lane"),
				After: in.Text("after"), Limit: in.Int("limit"),
			})
			if errors.Is(err, jobs.ErrNotFound) {
				return nil, module.Fail(module.Usage, "ids are numbers; start without --after", "%q is not the id of a job",
					in.Text("after"))
			}
			list := listedJobs{Jobs: make([]shownJob, 0, len(found))}
			for _, i := range found {
				list.Jobs = append(list.Jobs, showJob(i))
			}
			return list, err
		},
	}
}

// shownSchedule is work that repeats, as operators see it.
type shownSchedule struct {
	Name string    `json:"name"`
	Spec string    `json:"spec"`
	Kind string    `json:"kind"`
	Next time.Time `json:"next"`
	Last time.Time `json:"last,omitzero"`
}

// listedSchedules is the answer of "jobs schedules".
type listedSchedules struct {
	Schedules []shownSchedule `json:"schedules"`
}

func jobsSchedules(w *world.World) module.Command {
	return module.Command{
		Path:  "jobs schedules",
		Short: "list the work that repeats, with its next and its last time",
		Run: func(ctx context.Context, _ *module.Input) (any, error) {
			found, err := store.Schedules(ctx, w.DB)
			list := listedSchedules{Schedules: make([]shownSchedule, 0, len(found))}
			for _, s := range found {
				list.Schedules = append(list.Schedules, shownSchedule{s.Name, s.Spec, s.Kind, s.Next, s.Last})
			}
			return list, err
		},
	}
}

// jobID is the argument of the commands about one job.
func jobID() []module.Arg { return []module.Arg{{Name: "id", Help: "id of the job"}} }

// jobFailure puts an error of the queue into words.
func jobFailure(id string, err error) error {
	switch {
	case errors.Is(err, jobs.ErrNotFound):
		return module.Fail(module.NotFound, "stoa jobs list shows those that are not finished",
			"there is no job %s, or it is finished", id)
	case errors.Is(err, jobs.ErrState):
		return module.Fail(module.Conflict, "wait until its attempt has ended", "job %s is running", id)
	}
	return err
}

func jobsShow(w *world.World) module.Command {
	return module.Command{
		Path:  "jobs show",
		Short: "show one background job",
		Args:  jobID(),
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			i, err := w.Jobs.Get(ctx, in.Text("id"))
			if err != nil {
				return nil, jobFailure(in.Text("id"), err)
			}
			s := showJob(i)
			s.PayloadBytes = len(i.Payload)
			return s, nil
		},
	}
}

func jobsRetry(w *world.World) module.Command {
	return module.Command{
		Path:  "jobs retry",
		Short: "run a dead or waiting job now, with all its attempts again",
		Args:  jobID(),
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			return changeJob(ctx, w, in.Text("id"), w.Jobs.Retry, "retried")
		},
	}
}

func jobsDiscard(w *world.World) module.Command {
	return module.Command{
		Path:  "jobs discard",
		Short: "delete a job that is not running; its work is not done",
		Args:  jobID(),
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			return changeJob(ctx, w, in.Text("id"), w.Jobs.Discard, "discarded")
		},
	}
}

// changedJob is the answer of "jobs retry" and "jobs discard".
type changedJob struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	Done string `json:"done"`
}

// changeJob does one thing to a job, and says to which.
func changeJob(
	ctx context.Context, w *world.World, id string, change func(context.Context, string) error, done string,
) (any, error) {
	i, err := w.Jobs.Get(ctx, id)
	if err == nil {
		err = change(ctx, id)
	}
	if err != nil {
		return nil, jobFailure(id, err)
	}
	return changedJob{ID: id, Kind: i.Kind, Done: done}, nil
}
