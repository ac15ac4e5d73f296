package batches

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/wire"
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

// begin reads the file of the requests, if there is one.
func (s *Service) begin(ctx context.Context, b Batch) (err error) {
	if b.InputFile != "" {
		b.Requests, b.Refused, err = s.readInput(ctx, b)
	}
	var refused *api.Error
	if errors.As(err, &refused) {
		b.Error = refused.Message
		return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			ended, err := endBatch(ctx, tx, b, Failed)
			if err != nil || !ended {
				return err
			}
			return dropItems(ctx, tx, b)
		})
	}
	if err != nil {
		return err
	}
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if err := beginBatch(ctx, tx, b); err != nil {
			return err
		}
		return s.enqueueNext(ctx, tx, b, 0)
	})
}

// chunkItems and chunkBytes are how much of a file is stored in one transaction: others write between two.
const chunkItems, chunkBytes = 200, 1 << 20

// store writes items of a batch that waits; one that was deleted or ended meanwhile gets none. What a run before
// this one has stored stays.
func (s *Service) store(ctx context.Context, b Batch, items []Item) error {
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		now, err := batchByID(ctx, tx, b.UserID, b.ID, s.now())
		if err != nil || now.State != Pending {
			return err
		}
		return insertItems(ctx, tx, b.ID, items)
	})
}

// readInput stores the lines of a file as items. A line that is wrong is an item that has failed.
func (s *Service) readInput(ctx context.Context, b Batch) (n, wrong int64, err error) {
	f, err := s.files.Input(ctx, b.UserID, b.InputFile)
	if err != nil {
		return 0, 0, err
	}
	content, err := s.files.Open(ctx, f)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	lines := bufio.NewScanner(content)
	lines.Buffer(nil, maxLine)
	var chunk []Item
	size := 0
	for number := 1; lines.Scan(); number++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if n == maxRequests {
			return n, wrong, api.ErrInvalid("the file has more than the %d requests that a batch takes", maxRequests)
		}
		item := readLine(lines.Bytes(), number)
		item.Position = n
		n++
		if item.answered() {
			wrong++
		}
		chunk, size = append(chunk, item), size+len(lines.Bytes())
		if len(chunk) < chunkItems && size < chunkBytes {
			continue
		}
		if err := s.store(ctx, b, chunk); err != nil {
			return n, wrong, err
		}
		chunk, size = chunk[:0], 0
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return n, wrong, api.ErrInvalid("a line of the file has more than %d bytes", maxLine)
	}
	if n == 0 && lines.Err() == nil {
		return n, wrong, api.ErrInvalid(
			"the file has no requests: it holds one JSON object in each line, with key and request")
	}
	if lines.Err() != nil {
		return n, wrong, lines.Err()
	}
	return n, wrong, s.store(ctx, b, chunk)
}

func readLine(text []byte, number int) (item Item) {
	var line struct {
		Key      string          `json:"key"`
		Request  json.RawMessage `json:"request"`
		Metadata json.RawMessage `json:"metadata"`
	}
	err := wire.DecodeJSON(text, &line, wire.DisallowUnknown())
	item.Key, item.Metadata, item.Request = line.Key, line.Metadata, line.Request
	if err == nil && len(line.Request) == 0 {
		err = errors.New("the member request is missing")
	}
	if err != nil {
		item.Request = nil
		item.Code, item.Message = api.CodeInvalidArgument, fmt.Sprintf("line %d: %v", number, err)
	}
	return item
}

// finish writes the file of the results, if the requests came in one, and ends the batch.
func (s *Service) finish(ctx context.Context, b Batch) error {
	if b.InputFile == "" {
		return s.end(ctx, b, Succeeded)
	}
	results, err := s.files.Generate(ctx, b.UserID, "batch"+b.ID, b.Size, s.resultLines(ctx, b))
	var refused *api.Error
	if errors.As(err, &refused) {
		b.Error = refused.Message
		return s.end(ctx, b, Failed)
	}
	if err != nil {
		return err
	}
	b.OutputFile = results.ID
	var ended bool
	err = s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		ended, err = endWithFile(ctx, tx, b)
		return err
	})
	if err != nil || ended {
		return err
	}
	return s.deleteUnused(ctx, b)
}

// deleteUnused deletes the results file of a batch that was cancelled or deleted while it was written.
func (s *Service) deleteUnused(ctx context.Context, b Batch) error {
	now, err := batchByID(ctx, s.world.DB, b.UserID, b.ID, s.now())
	var gone *api.Error
	if err != nil && !errors.As(err, &gone) || err == nil && now.OutputFile == b.OutputFile {
		return err // another run of the step has ended the batch with the file
	}
	if err := s.files.Delete(ctx, b.UserID, b.OutputFile); !errors.As(err, &gone) {
		return err
	}
	return nil
}

// resultLines is the text of the results file.
func (s *Service) resultLines(ctx context.Context, b Batch) io.Reader {
	const page = 100
	var at int64
	var text bytes.Buffer
	return readerFunc(func(p []byte) (int, error) {
		for text.Len() == 0 {
			items, err := listItems(ctx, s.world.DB, b.ID, at, page)
			if err != nil {
				return 0, err
			}
			if len(items) == 0 {
				return 0, io.EOF
			}
			for _, i := range items {
				line, err := json.Marshal(i.toWire(true))
				if err != nil {
					return 0, err
				}
				text.Write(append(line, '\n'))
				at = i.Position + 1
			}
		}
		return text.Read(p)
	})
}

// readerFunc is a function as a reader.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
