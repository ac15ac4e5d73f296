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
		for range 2 { // a step whose worker was slow runs twice
			write(func(ctx context.Context, tx *database.Tx) error { return updateItem(ctx, tx, b, items[0]) })
		}
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
		write(func(ctx context.Context, tx *database.Tx) error {
			_, err := DeleteExpired(ctx, tx, now.Add(keptFor), 100)
			return err
		})
		if left, err := listItems(ctx, db, "b", 0, 10); err != nil || len(left) != 0 {
			t.Errorf("items after the sweep: %v, %v", left, err)
		}
		var refused *api.Error
		if _, err := batchByID(ctx, db, 1, "b", now); !errors.As(err, &refused) || refused.Code != api.CodeNotFound {
			t.Errorf("batch after the sweep: %v", err)
		}
	}, migrations)
}

// TestExpiredGoInSteps deletes what has expired in steps that are as small as they are asked to be.
func TestExpiredGoInSteps(t *testing.T) {
	t.Parallel()
	migrations := database.Migrations{Module: "generate", Files: os.DirFS("../migrations")}
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
		err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) (err error) {
			for _, id := range []string{"a", "b", "none", "stays"} {
				b := Batch{
					ID: id, UserID: 1, Method: GenerateContent, State: Running, CreatedAt: now, UpdatedAt: now, ExpiresAt: now,
				}
				items := []Item{{Position: 0}, {Position: 1}, {Position: 2}}
				switch id {
				case "none":
					items = nil
				case "stays":
					b.ExpiresAt = now.Add(time.Hour)
				}
				err = errors.Join(err, insertBatch(ctx, tx, b), insertItems(ctx, tx, id, items))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		total := 0
		for n := 2; n == 2; total += n {
			err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) (err error) {
				n, err = DeleteExpired(ctx, tx, now, 2)
				return err
			})
			if err != nil || n > 2 {
				t.Fatalf("%d rows of a step, %v, want at most 2", n, err)
			}
		}
		if total != 9 {
			t.Errorf("%d rows went, want 3 batches and 6 items", total)
		}
		var left int64
		err = db.QueryRow(t.Context(), `SELECT (SELECT COUNT(*) FROM generate_batches)
			+ (SELECT COUNT(*) FROM generate_batch_items)`).Scan(&left)
		if err != nil || left != 4 {
			t.Errorf("%d rows are left, %v, want the 4 that have not expired", left, err)
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
