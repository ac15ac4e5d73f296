package events

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/module"
)

// AddedEvent is the output of events add.
type AddedEvent struct {
	ID   string `json:"id"`
	Type Type   `json:"type"`
	Repo string `json:"repo"`
}

func (s *Service) commands() []module.Command {
	return []module.Command{{
		Path: "events add", Short: "record an event about a repository",
		Long: "The payload must fit the type. Events of pushes, stars, forks and the like are recorded by themselves.",
		Flags: []module.Flag{
			{Name: "type", Required: true, Help: "the event's type, such as IssuesEvent"},
			{Name: "repo", Required: true, Help: "OWNER/NAME"},
			{Name: "user", Required: true, Help: "who did it"},
			{Name: "payload", Default: "{}", Help: "the payload as JSON"},
			{Name: "count", Kind: module.Int, Default: "1", Help: "how many of them"},
		},
		Run: s.runAdd,
	}}
}

const (
	// maxAdd bounds one command, addBatch one of its transactions.
	maxAdd   = 1_000_000
	addBatch = 500
)

func (s *Service) runAdd(ctx context.Context, in *module.Input) (any, error) {
	actor, err := s.forge.UserActor(ctx, in.Text("user"))
	if err != nil {
		return nil, commandError(err)
	}
	r, _, err := s.forge.FindPath(ctx, in.Text("repo"))
	if err != nil {
		return nil, commandError(err)
	}
	payload, count := in.Text("payload"), in.Int("count")
	if payload == "" {
		payload = "{}"
	}
	if count < 1 || count > maxAdd {
		return nil, module.Fail(module.Usage, "", "--count must be 1 to %d, not %d", maxAdd, count)
	}
	var last Event
	for done := 0; done < count; {
		some := min(addBatch, count-done)
		if last, err = s.AddMany(ctx, r, Type(in.Text("type")), actor, json.RawMessage(payload), some); err != nil {
			return nil, commandError(err)
		}
		done += some
		in.Progress(module.Progress{Done: int64(done), Total: int64(count)})
	}
	return AddedEvent{ID: strconv.FormatInt(last.ID, 10), Type: last.Type, Repo: last.RepoName}, nil
}

// commandError adds the exit code.
func commandError(err error) error {
	var own *Error
	switch {
	case errors.As(err, &own):
		return module.Fail(module.Usage, "the payloads are described in docs/services/events.md", "%w", err)
	case errors.Is(err, forge.ErrNotFound):
		return module.Fail(module.NotFound, "stoa repo list and stoa user list show what there is", "%w", err)
	case errors.Is(err, forge.ErrInvalid):
		return module.Fail(module.Usage, "write the repository as OWNER/NAME", "%w", err)
	}
	return err
}
