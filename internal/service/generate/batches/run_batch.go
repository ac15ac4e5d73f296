package batches

import (
	"context"
	"errors"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/service/generate/api"
)

const stepKind = "generate.batch"

// step is the payload of the job that answers one request of a batch.
type step struct {
	User     int64  `json:"user"`
	Batch    string `json:"batch"`
	Position int64  `json:"position"`
}

const (
	// stepTime bounds one answer, as it does outside of batches.
	stepTime = 10 * time.Minute
	// maxAsked is how often a request is asked whose answer fails. A step that fails otherwise, because a store is away,
	// is tried maxTries times: with the pauses of jobs, which grow to an hour, that is as long as a batch may take.
	maxAsked, maxTries = 5, 60
	// maxWaiting is how many batches of one owner may wait.
	maxWaiting = 100
)

// Jobs are the kinds of background work.
func (s *Service) Jobs() []jobs.Registration {
	return []jobs.Registration{jobs.Define(jobs.Kind[step]{
		Name:        stepKind,
		About:       "Answers the next requests of a batch.",
		MaxAttempts: maxTries, Timeout: stepTime, Concurrency: 2,
		PerOwner: jobs.Share{Running: 1, Waiting: maxWaiting}, Run: s.runStep,
	})}
}

// enqueueFirst has a new batch begun; it is refused when its owner has too many.
func (s *Service) enqueueFirst(ctx context.Context, tx *database.Tx, b Batch) error {
	_, err := s.world.Jobs.Enqueue(ctx, tx, stepJob(b, 0))
	return err
}

// enqueueNext has the step at a position follow the one that runs.
func (s *Service) enqueueNext(ctx context.Context, tx *database.Tx, b Batch, position int64) error {
	next := stepJob(b, position)
	next.Follows = true
	_, err := s.world.Jobs.Enqueue(ctx, tx, next)
	return err
}

func stepJob(b Batch, position int64) jobs.Enqueue {
	return jobs.Enqueue{
		Kind: stepKind, Payload: step{b.UserID, b.ID, position},
		Dedupe: b.ID + "/" + strconv.FormatInt(position, 10), Owner: "user:" + strconv.FormatInt(b.UserID, 10),
	}
}

// runStep does the next thing of a batch: it begins it, answers a request, or ends it.
func (s *Service) runStep(ctx context.Context, job jobs.Job, p step) error {
	b, err := batchByID(ctx, s.world.DB, p.User, p.Batch, s.now())
	var gone *api.Error
	if errors.As(err, &gone) || err == nil && b.Done() {
		return nil // it was deleted or cancelled meanwhile, or this is a second run
	}
	if err != nil {
		return err
	}
	b.UpdatedAt = s.now()
	if s.seen(b).State == Expired {
		return s.end(ctx, b, Expired)
	}
	if revoked, err := grants.CredentialRevoked(ctx, s.world.DB, b.KeyID); err != nil {
		return err
	} else if revoked {
		b.Error = whyRevoked
		return s.end(ctx, b, Cancelled)
	}
	if b.State == Pending {
		return s.begin(ctx, b)
	}
	next, err := listItems(ctx, s.world.DB, b.ID, p.Position, 1)
	switch {
	case err != nil:
		return err
	case len(next) == 0:
		return s.finish(ctx, b)
	}
	item := next[0]
	if !item.answered() {
		if item, err = s.answer(ctx, job, b, item); err != nil {
			return err
		}
	}
	if next[0].answered() {
		return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			return s.enqueueNext(ctx, tx, b, item.Position+1)
		})
	}
	return s.keep(ctx, b, item)
}

// whyRevoked is why a batch ends whose key was taken back.
const whyRevoked = "the API key that made the batch was revoked or replaced"

// keep stores what became of an item. An answer that there is no storage for is a failure of its own: the requests are
// small, and their answers need not be.
func (s *Service) keep(ctx context.Context, b Batch, item Item) error {
	more := int64(len(item.Response) - len(item.Request))
	return s.files.WriteGrowing(ctx, b.UserID, more, func(ctx context.Context, tx *database.Tx, full *api.Error) error {
		kept := item
		if full != nil && len(item.Response) > 0 {
			kept.Response, kept.Code, kept.Message = nil, full.Code, full.Message
		}
		if err := updateItem(ctx, tx, b, kept); err != nil {
			return err
		}
		return s.enqueueNext(ctx, tx, b, item.Position+1)
	})
}

// answer asks the model. An error means that the request is to be asked again.
func (s *Service) answer(ctx context.Context, job jobs.Job, b Batch, item Item) (Item, error) {
	u, err := s.identity.User(ctx, b.UserID)
	if err != nil {
		return item, err
	}
	if u.Disabled {
		item.Code, item.Message = api.CodePermissionDenied, "the user of this batch is disabled"
		return item, nil
	}
	caller := &identity.Caller{UserID: b.UserID, UserName: u.Name, TokenID: b.KeyID, Kind: identity.KindAPI}
	item.Response, err = s.answers.Answer(ctx, caller, b, item.Request)
	if err == nil {
		return item, nil
	}
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return item, err // the process ends; another goes on
	}
	var full *limit.Exceeded
	if errors.As(err, &full) {
		return item, jobs.Postpone(err, max(time.Second, full.RetryAfter))
	}
	item.Code, item.Message = s.answers.Failure(err)
	passing := item.Code == api.CodeUnavailable || item.Code == api.CodeInternal || item.Code == api.CodeExhausted
	if passing && job.Attempt < maxAsked {
		return item, err
	}
	return item, nil
}

func (s *Service) end(ctx context.Context, b Batch, state State) error {
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		_, err := endBatch(ctx, tx, b, state)
		return err
	})
}
