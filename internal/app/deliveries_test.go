package app

import (
	"errors"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/deliver/delivertest"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/seal"
)

func TestDeliveryCommands(t *testing.T) {
	t.Parallel()
	r := delivertest.NewReceiver(t)
	db := databasetest.SQLite(t, jobs.Migrations(), deliver.Migrations())
	box, err := seal.Open(t.TempDir(), "", ids.Random())
	if err != nil {
		t.Fatal(err)
	}
	client, err := deliver.NewClient(r.Config, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	v := clock.NewVirtual(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	queue := jobs.New(jobs.Options{DB: db, Clock: v, IDs: ids.Random()})
	engine := deliver.New(deliver.Options{DB: db, Jobs: queue, Clock: v, IDs: ids.Random(), Seal: box, Client: client})
	queue.Register(engine.Jobs()...)

	commands := map[string]module.Command{}
	for _, c := range deliveryCommands(engine) {
		commands[c.Path] = c
	}
	run := func(path string, values map[string][]string) error {
		c := commands[path]
		if err := c.Check(values); err != nil {
			return err
		}
		_, err := c.Run(t.Context(), &module.Input{Values: values, Progress: func(module.Progress) {}})
		return err
	}
	var id string
	err = db.Write(t.Context(), func(tx *database.Tx) (err error) {
		id, err = engine.Enqueue(t.Context(), tx, deliver.Message{Channel: "c", URL: r.URL})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	rows := []struct {
		name   string
		path   string
		values map[string][]string
		want   module.Failure
	}{
		{"list", "deliveries list", map[string][]string{"state": {"pending"}, "channel": {"c"}, "limit": {"1"}}, ""},
		{"unknown state", "deliveries list", map[string][]string{"state": {"lost"}}, module.Usage},
		{"after nothing", "deliveries list", map[string][]string{"after": {"none"}}, module.NotFound},
		{"resend without id", "deliveries resend", nil, module.Usage},
		{"resend of nothing", "deliveries resend", map[string][]string{"id": {"none"}}, module.NotFound},
		{"resend of a pending one", "deliveries resend", map[string][]string{"id": {id}}, module.Conflict},
	}
	for _, row := range rows {
		err := run(row.path, row.values)
		var failure *module.CommandError
		switch {
		case row.want == "" && err != nil:
			t.Errorf("%s: %v, want nil", row.name, err)
		case row.want != "" && (!errors.As(err, &failure) || failure.Failure != row.want):
			t.Errorf("%s: %v, want %s", row.name, err, row.want)
		}
	}
	for i, step := range []func() error{
		func() error { return queue.Settle(t.Context()) },
		func() error { return run("deliveries resend", map[string][]string{"id": {id}}) },
		func() error { return queue.Settle(t.Context()) },
	} {
		if err := step(); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	if got := len(r.Requests()); got != 2 {
		t.Errorf("received %d, want 2", got)
	}
}
