package batches

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/generate/api"
)

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
