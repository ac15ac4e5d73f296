package batches

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/files"
)

const (
	// Prefix is what the names of batches begin with.
	Prefix = "batches/"

	// MaxInline is how large a request with all its requests may be, in bytes.
	MaxInline = 20 << 20
	// maxInput bounds a file of requests, and maxLine one of its lines.
	maxInput, maxLine = 100 << 20, 20 << 20
	// maxRequests is how many requests a batch may have.
	maxRequests = 10_000
	// maxName is the longest display name, in characters.
	maxName = 128

	answerWithin = 48 * time.Hour
	keptFor      = 7 * 24 * time.Hour
)

// Answers is what the service does for batches.
type Answers struct {
	// Model refuses a model that does not have the method.
	Model func(id string, m Method) error
	// Check refuses a request that the method cannot have.
	Check func(m Method, request json.RawMessage) error
	// Answer answers a request as the method does.
	Answer func(ctx context.Context, caller *identity.Caller, b Batch, request json.RawMessage) ([]byte, error)
	// Failure is an error in the words of the API.
	Failure func(err error) (code api.Code, message string)
}

// Service keeps the batches of all users.
type Service struct {
	world    *world.World
	identity *identity.Identity
	files    *files.Service
	answers  Answers
}

// New makes a Service. It touches no store.
func New(w *world.World, i *identity.Identity, f *files.Service, a Answers) *Service {
	return &Service{w, i, f, a}
}

func (s *Service) now() time.Time { return s.world.Clock.Now().UTC().Truncate(time.Microsecond) }

// Create checks a batch, stores it and enqueues its first step.
func (s *Service) Create(ctx context.Context, caller *identity.Caller, b Batch, items []Item) (Batch, error) {
	if err := s.answers.Model(b.Model, b.Method); err != nil {
		return b, err
	}
	if utf8.RuneCountInString(b.DisplayName) > maxName {
		return b, api.ErrInvalidField("batch.displayName", "must have at most %d characters", maxName)
	}
	var err error
	if b.InputFile == "" {
		b.Size, err = s.checkItems(b.Method, items)
	} else {
		b, err = s.checkInput(ctx, caller.UserID, b)
	}
	if err != nil {
		return b, err
	}
	now := s.now()
	b.ID = s.world.IDs.Text("abcdefghijklmnopqrstuvwxyz0123456789", 24)
	b.UserID, b.KeyID, b.State, b.Requests = caller.UserID, caller.TokenID, Pending, int64(len(items))
	b.CreatedAt, b.UpdatedAt, b.ExpiresAt = now, now, now.Add(keptFor)
	return b, s.files.WriteCounted(ctx, b.UserID, b.Size, func(ctx context.Context, tx *database.Tx) error {
		if err := errors.Join(insertBatch(ctx, tx, b), insertItems(ctx, tx, b.ID, items)); err != nil {
			return err
		}
		return s.enqueueFirst(ctx, tx, b)
	})
}

// checkItems refuses a batch of which the client can know at once that it is wrong.
func (s *Service) checkItems(m Method, items []Item) (size int64, err error) {
	if len(items) == 0 || len(items) > maxRequests {
		return 0, api.ErrInvalidField("batch.inputConfig.requests.requests", "must hold 1 to %d requests, not %d",
			maxRequests, len(items))
	}
	for i, item := range items {
		if err := s.answers.Check(m, item.Request); err != nil {
			_, why := s.answers.Failure(err)
			return 0, api.ErrInvalidField(fmt.Sprintf("batch.inputConfig.requests.requests[%d].request", i), "%s", why)
		}
		size += int64(len(item.Request) + len(item.Metadata))
	}
	return size, nil
}

// checkInput finds the file of the requests, which is read by the first step.
func (s *Service) checkInput(ctx context.Context, userID int64, b Batch) (Batch, error) {
	f, err := s.files.Input(ctx, userID, b.InputFile)
	if err != nil {
		return b, err
	}
	if f.Size > maxInput {
		return b, api.ErrInvalidField("batch.inputConfig.fileName",
			"the file has %d bytes, a batch takes %d; make several batches", f.Size, maxInput)
	}
	b.InputFile, b.Size = f.ID, f.Size
	return b, nil
}

// Get finds a batch by its id. One that was not answered in time says so.
func (s *Service) Get(ctx context.Context, userID int64, id string) (Batch, error) {
	b, err := batchByID(ctx, s.world.DB, userID, id, s.now())
	return s.seen(b), err
}

func (s *Service) seen(b Batch) Batch {
	if !b.Done() && !b.deadline().After(s.now()) {
		b.State, b.UpdatedAt = Expired, b.deadline()
	}
	return b
}

// List gives batches of a user, the newest first.
func (s *Service) List(ctx context.Context, userID int64, after files.Cursor, limit int) ([]Batch, error) {
	list, err := listBatches(ctx, s.world.DB, userID, after, s.now(), limit)
	for i := range list {
		list[i] = s.seen(list[i])
	}
	return list, err
}

// Results are the items of a batch in their order.
func (s *Service) Results(ctx context.Context, b Batch) ([]Item, error) {
	return listItems(ctx, s.world.DB, b.ID, 0, maxRequests)
}

// Cancel ends a batch. What was answered stays.
func (s *Service) Cancel(ctx context.Context, userID int64, id string) error {
	b, err := s.Get(ctx, userID, id)
	if err != nil {
		return err
	}
	b.UpdatedAt = s.now()
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		ended, err := endBatch(ctx, tx, b, Cancelled)
		if err == nil && (!ended || b.Done()) {
			return api.ErrPrecondition("the batch %s has ended already (%s)", Prefix+b.ID, b.State)
		}
		return err
	})
}

// Delete deletes a batch with its results, also one that runs: nothing more of it is answered.
func (s *Service) Delete(ctx context.Context, userID int64, id string) error {
	b, err := s.Get(ctx, userID, id)
	if err != nil {
		return err
	}
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error { return deleteBatch(ctx, tx, b.ID) })
}
