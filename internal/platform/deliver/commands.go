package deliver

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/module"
)

// Commands are the operator's: stoa deliveries list and resend.
func (e *Engine) Commands() []module.Command {
	return []module.Command{e.listCommand(), e.resendCommand()}
}

// listed is what the list command prints.
type listed struct {
	Deliveries []Delivery `json:"deliveries"`
}

func (e *Engine) listCommand() module.Command {
	var states []string
	for _, s := range States() {
		states = append(states, string(s))
	}
	return module.Command{
		Path:  "deliveries list",
		Short: "list outbound messages, newest first",
		Flags: []module.Flag{
			{Name: "state", OneOf: states, Help: "only deliveries in this state"},
			{Name: "service", Help: "only deliveries of this service"},
			{Name: "channel", Help: "only deliveries of this channel"},
			{Name: "after", Help: "go on after the delivery with this id"},
			{Name: "limit", Kind: module.Int, Default: "100", Help: "how many at most"},
		},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			found, err := e.List(ctx, Filter{
				State: State(in.Text("state")), Service: in.Text("service"), Channel: in.Text("channel"),
				After: in.Text("after"), Limit: in.Int("limit"),
			})
			if errors.Is(err, ErrNotFound) {
				return nil, module.Fail(module.NotFound, "start without --after", "%w", err)
			}
			return listed{found}, err
		},
	}
}

// resent is what the resend command prints.
type resent struct {
	ID       string `json:"id"`
	ResendOf string `json:"resend_of"`
}

func (e *Engine) resendCommand() module.Command {
	return module.Command{
		Path:  "deliveries resend",
		Short: "send a finished delivery's message once more",
		Args:  []module.Arg{{Name: "id", Help: "id of the delivery"}},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			id := in.Text("id")
			again, err := e.Resend(ctx, id)
			switch {
			case errors.Is(err, ErrNotFound):
				return nil, module.Fail(module.NotFound, "see stoa deliveries list", "%w", err)
			case errors.Is(err, ErrPending):
				return nil, module.Fail(module.Conflict, "wait until it is delivered or has failed", "%w", err)
			case err != nil:
				return nil, err
			}
			return resent{ID: again, ResendOf: id}, nil
		},
	}
}
