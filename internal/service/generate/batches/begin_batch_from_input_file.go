package batches

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/generate/api"
)

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
