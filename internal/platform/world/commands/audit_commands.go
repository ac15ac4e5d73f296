package commands

import (
	"context"
	"errors"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
)

// listedEntries is the answer of "audit list".
type listedEntries struct {
	Entries []audit.Entry `json:"entries"`
}

func auditList(w *world.World) module.Command {
	var outcomes []string
	for _, o := range audit.Outcomes() {
		outcomes = append(outcomes, string(o))
	}
	return module.Command{
		Path:  "audit list",
		Short: "list what administrators and credentials did, newest first",
		Long: "Times are RFC 3339, such as 2030-01-31T08:00:00Z, or a day, such as 2030-01-31. " +
			"Entries are kept as long as the setting audit.keep says.",
		Flags: []module.Flag{
			{Name: "actor", Help: "only what this user did; operator is the command line"},
			{Name: "action", Help: "only this action, such as user.disable, or all of an area, such as user"},
			{Name: "object", Help: "only where the object has this text"},
			{Name: "outcome", OneOf: outcomes, Help: "only entries that ended so"},
			{Name: "since", Help: "only from this time on"},
			{Name: "until", Help: "only before this time"},
			{Name: "after", Kind: module.Int, Help: "go on after the entry with this id"},
			{Name: "limit", Kind: module.Int, Default: "100", Help: "how many at most, up to 1000"},
		},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			f := audit.Filter{
				Actor: in.Text("actor"), Action: in.Text("action"), Text: in.Text("object"),
				Outcome: audit.Outcome(in.Text("outcome")), After: int64(in.Int("after")), Limit: in.Int("limit"),
			}
			var err error
			if f.Since, err = timeFlag(in, "since"); err != nil {
				return nil, err
			}
			if f.Until, err = timeFlag(in, "until"); err != nil {
				return nil, err
			}
			found, err := audit.List(ctx, w.DB, f)
			if errors.Is(err, audit.ErrNotFound) {
				return nil, module.Fail(module.NotFound, "start without --after", "there is no entry %s", in.Text("after"))
			}
			if found == nil {
				found = []audit.Entry{}
			}
			return listedEntries{found}, err
		},
	}
}

func auditShow(w *world.World) module.Command {
	return module.Command{
		Path:  "audit show",
		Short: "show one entry of the audit trail",
		Args:  []module.Arg{{Name: "id", Help: "id of the entry"}},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			id, err := strconv.ParseInt(in.Text("id"), 10, 64)
			if err != nil {
				return nil, module.Fail(module.Usage, "stoa audit list shows the ids", "%q is not the id of an entry",
					in.Text("id"))
			}
			e, err := audit.Get(ctx, w.DB, id)
			if errors.Is(err, audit.ErrNotFound) {
				return nil, module.Fail(module.NotFound, "stoa audit list shows those that are kept",
					"there is no entry %d", id)
			}
			return e, err
		},
	}
}

// timeFlag reads a time or a day; what is not given is the zero time.
func timeFlag(in *module.Input, name string) (time.Time, error) {
	text := in.Text(name)
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, module.Fail(module.Usage, "write 2030-01-31T08:00:00Z or 2030-01-31", "--%s: %q is not a time",
		name, text)
}
