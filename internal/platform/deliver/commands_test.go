package deliver_test

import (
	"errors"
	"testing"

	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/deliver/delivertest"
	"stoa.dev/stoa/internal/platform/module"
)

func TestCommands(t *testing.T) {
	each(t, func(t *testing.T, w *world, r *delivertest.Receiver) {
		commands := map[string]module.Command{}
		for _, c := range w.Commands() {
			commands[c.Path] = c
		}
		run := func(path string, values map[string][]string) (any, error) {
			c := commands[path]
			if err := c.Check(values); err != nil {
				return nil, err
			}
			return c.Run(t.Context(), &module.Input{Values: values, Progress: func(module.Progress) {}})
		}
		id := w.enqueue(deliver.Message{Service: "calendar", Channel: "c", URL: r.URL})[0]
		rows := []struct {
			name   string
			path   string
			values map[string][]string
			want   module.Failure
		}{
			{"list", "deliveries list", nil, ""},
			{"list with all flags", "deliveries list", map[string][]string{"state": {"pending"}, "service": {"x"}, "channel": {"c"}, "limit": {"1"}}, ""},
			{"unknown state", "deliveries list", map[string][]string{"state": {"lost"}}, module.Usage},
			{"after nothing", "deliveries list", map[string][]string{"after": {"none"}}, module.NotFound},
			{"resend without id", "deliveries resend", nil, module.Usage},
			{"resend of nothing", "deliveries resend", map[string][]string{"id": {"none"}}, module.NotFound},
			{"resend of a pending one", "deliveries resend", map[string][]string{"id": {id}}, module.Conflict},
		}
		for _, row := range rows {
			_, err := run(row.path, row.values)
			var failure *module.CommandError
			switch {
			case row.want == "" && err != nil:
				t.Errorf("%s: %v, want nil", row.name, err)
			case row.want != "" && (!errors.As(err, &failure) || failure.Failure != row.want):
				t.Errorf("%s: %v, want %s", row.name, err, row.want)
			}
		}
		w.settle()
		if _, err := run("deliveries resend", map[string][]string{"id": {id}}); err != nil {
			t.Errorf("resend: %v", err)
		}
		w.settle()
		if got := len(r.Requests()); got != 2 {
			t.Errorf("received %d, want 2", got)
		}
	})
}
