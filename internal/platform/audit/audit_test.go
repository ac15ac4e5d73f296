package audit_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// databases are handed on from test to test.
var databases = databasetest.NewPool(audit.Migrations())

func TestMain(m *testing.M) { goleak.VerifyTestMain(databases.Main(m)) }

var epoch = time.Date(2030, 3, 1, 6, 0, 0, 0, time.UTC)

func record(ctx context.Context, t *testing.T, db *database.DB, at time.Time, e audit.Entry) {
	t.Helper()
	err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error { return audit.Record(ctx, tx, at, e) })
	if err != nil {
		t.Fatal(err)
	}
}

func list(t *testing.T, db *database.DB, f audit.Filter) string {
	t.Helper()
	entries, err := audit.List(t.Context(), db, f)
	if err != nil {
		t.Fatal(err)
	}
	var objects []string
	for _, e := range entries {
		objects = append(objects, e.Object)
	}
	return strings.Join(objects, " ")
}

func TestList(t *testing.T) {
	t.Parallel()
	databases.Run(t, func(t *testing.T, db *database.DB) {
		ada := audit.With(t.Context(), audit.Actor{Name: "Ada", Credential: "session 1", Network: "192.0.2.1"})
		for n := range 5 {
			// Entries 2 and 3 are of the same moment.
			at := epoch.Add(time.Duration(n-n/3) * time.Minute)
			record(ada, t, db, at, audit.Entry{Action: "user.add", Object: strconv.Itoa(n)})
		}
		record(t.Context(), t, db, epoch, audit.Entry{Action: "job.retry", Object: "100%", Outcome: audit.Refused})
		for name, row := range map[string]struct {
			filter audit.Filter
			want   string
		}{
			"all":           {audit.Filter{}, "4 3 2 1 100% 0"},
			"an actor":      {audit.Filter{Actor: "ADA"}, "4 3 2 1 0"},
			"the server":    {audit.Filter{Actor: audit.Server}, "100%"},
			"an area":       {audit.Filter{Action: "job"}, "100%"},
			"an action":     {audit.Filter{Action: "user.add"}, "4 3 2 1 0"},
			"no action":     {audit.Filter{Action: "user.ad"}, ""},
			"an outcome":    {audit.Filter{Outcome: audit.Refused}, "100%"},
			"a sign":        {audit.Filter{Text: "0%"}, "100%"},
			"a time":        {audit.Filter{Since: epoch.Add(time.Minute), Until: epoch.Add(3 * time.Minute)}, "3 2 1"},
			"a page":        {audit.Filter{Limit: 2}, "4 3"},
			"the next page": {audit.Filter{Limit: 2, After: 4}, "2 1"},
			"the last page": {audit.Filter{Limit: 2, After: 2, Actor: "ada"}, "0"},
		} {
			if got := list(t, db, row.filter); got != row.want {
				t.Errorf("%s: got %q, want %q", name, got, row.want)
			}
		}
		if _, err := audit.List(t.Context(), db, audit.Filter{After: 99}); !errors.Is(err, audit.ErrNotFound) {
			t.Errorf("err = %v, want ErrNotFound", err)
		}
		n, err := audit.Purge(t.Context(), db, epoch.Add(2*time.Minute))
		if err != nil || n != 3 {
			t.Errorf("purged %d, %v, want 3", n, err)
		}
		if got := list(t, db, audit.Filter{}); got != "4 3 2" {
			t.Errorf("%q is left", got)
		}
	})
}

// TestCommand: a command that changes something is on record once, in its own words
// where it has some, and one that changes nothing, or fails, is not.
func TestCommand(t *testing.T) {
	t.Parallel()
	databases.Run(t, func(t *testing.T, db *database.DB) {
		stop := errors.New("stop")
		quiet := func(context.Context, *database.Tx) error { return nil }
		fails := func(context.Context, *database.Tx) error { return stop }
		explicit := func(ctx context.Context, tx *database.Tx) error {
			return audit.Record(ctx, tx, epoch, audit.Entry{Action: "user.add", Object: "own-words"})
		}
		for object, writes := range map[string][]database.TxFunc{
			"nothing": nil, "failed": {fails}, "twice": {quiet, quiet}, "explicit": {explicit, quiet}, "again": {fails, quiet},
		} {
			ctx := audit.Command(t.Context(), clock.NewVirtual(epoch), audit.Entry{Action: "job.retry", Object: object})
			for _, fn := range writes {
				if err := db.Write(ctx, fn); err != nil && !errors.Is(err, stop) {
					t.Fatal(err)
				}
			}
		}
		got := strings.Fields(list(t, db, audit.Filter{Actor: audit.Operator}))
		want := map[string]bool{"twice": true, "again": true, "own-words": true}
		for _, object := range got {
			if !want[object] {
				t.Errorf("%s is on record", object)
			}
			delete(want, object)
		}
		if len(want) > 0 {
			t.Errorf("missing %v of %v", want, got)
		}
	})
}

func TestConfig(t *testing.T) {
	t.Parallel()
	if err := audit.DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
	if err := (audit.Config{}).Validate(); err == nil {
		t.Error("no time at all is taken")
	}
}
