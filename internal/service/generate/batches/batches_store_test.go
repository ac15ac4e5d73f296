package batches

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/files"
)

// TestStore keeps batches and items, ends a batch once, and forgets what has expired.
func TestStore(t *testing.T) {
	t.Parallel()
	migrations := database.Migrations{Module: "generate", Files: os.DirFS("../migrations")}
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx, now := t.Context(), time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
		b := Batch{
			ID: "b", UserID: 1, KeyID: 2, Method: GenerateContent, Model: "m", DisplayName: "n", State: Pending, Size: 4,
			Requests: 2, CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(keptFor),
		}
		items := []Item{
			{Position: 0, Key: "k", Metadata: []byte(`{"a":1}`), Request: []byte(`{}`)},
			{Position: 1, Code: api.CodeInvalidArgument, Message: "line 2"},
		}
		write := func(fn func(ctx context.Context, tx *database.Tx) error) {
			t.Helper()
			if err := db.Write(ctx, fn); err != nil {
				t.Fatal(err)
			}
		}
		write(func(ctx context.Context, tx *database.Tx) error {
			return errors.Join(insertBatch(ctx, tx, b), insertItems(ctx, tx, b.ID, items), beginBatch(ctx, tx, b))
		})
		b.State = Running
		if got, err := batchByID(ctx, db, 1, "b", now); err != nil || !cmp.Equal(got, b) {
			t.Errorf("batch: %v %s", err, cmp.Diff(b, got))
		}
		items[0].Response = []byte(`{"x":1}`)
		write(func(ctx context.Context, tx *database.Tx) error { return updateItem(ctx, tx, b, items[0]) })
		got, err := listItems(ctx, db, "b", 0, 10)
		if err != nil || len(got) != 2 || string(got[0].Response) != `{"x":1}` || len(got[0].Request) != 0 ||
			got[1].Message != "line 2" || !got[1].answered() {
			t.Errorf("items: %+v, %v", got, err)
		}
		list, err := listBatches(ctx, db, 1, files.FirstPage(), now, 10)
		if err != nil || len(list) != 1 || list[0].Answered != 1 || list[0].Size != 4+7-2 {
			t.Errorf("batches: %+v, %v", list, err)
		}
		for _, want := range []bool{true, false} {
			write(func(ctx context.Context, tx *database.Tx) error {
				ended, err := endBatch(ctx, tx, b, Cancelled)
				if ended != want {
					t.Errorf("ended %t, want %t", ended, want)
				}
				return err
			})
		}
		b.OutputFile = "late"
		write(func(ctx context.Context, tx *database.Tx) error {
			if ended, err := endWithFile(ctx, tx, b); err != nil || ended {
				t.Errorf("a file after the cancellation: %t, %v", ended, err)
			}
			return nil
		})
		if kept, err := listItems(ctx, db, "b", 0, 10); err != nil || len(kept) != 2 {
			t.Errorf("a cancelled batch keeps %d answers, want 2: %v", len(kept), err)
		}
		write(func(ctx context.Context, tx *database.Tx) error { return DeleteExpired(ctx, tx, now.Add(keptFor)) })
		if left, err := listItems(ctx, db, "b", 0, 10); err != nil || len(left) != 0 {
			t.Errorf("items after the sweep: %v, %v", left, err)
		}
		var refused *api.Error
		if _, err := batchByID(ctx, db, 1, "b", now); !errors.As(err, &refused) || refused.Code != api.CodeNotFound {
			t.Errorf("batch after the sweep: %v", err)
		}
	}, migrations)
}

// TestLines reads a line of a file, or says what is wrong with it.
func TestLines(t *testing.T) {
	t.Parallel()
	for line, why := range map[string]string{
		`{"key":"a","request":{"contents":[]}}`: "",
		`{"key":"a"}`:                           "request is missing",
		`{"key":"a","request":{},"other":1}`:    "other",
		`nonsense`:                              "line 7",
	} {
		got := readLine([]byte(line), 7)
		if why == "" && (got.Code != "" || got.Key != "a") || !strings.Contains(got.Message, why) {
			t.Errorf("%s: %+v, want %q", line, got, why)
		}
	}
}

// TestCodeNumbers gives every code of the service a number of its own.
func TestCodeNumbers(t *testing.T) {
	t.Parallel()
	seen := map[int]api.Code{}
	for _, c := range api.Codes() {
		n := codeNumber(c)
		if seen[n] != "" || n < 1 || n > 16 {
			t.Errorf("%s has %d, which is that of %q", c, n, seen[n])
		}
		seen[n] = c
	}
}
