package commands

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
)

// listedDeliveries is the answer of "deliveries list".
type listedDeliveries struct {
	Deliveries []deliver.Delivery `json:"deliveries"`
}

func deliveriesList(w *world.World) module.Command {
	var states []string
	for _, s := range deliver.States() {
		states = append(states, string(s))
	}
	return module.Command{
		Path: "deliveries list", Short: "list outbound messages, newest first",
		Flags: []module.Flag{
			{Name: "state", OneOf: states, Help: "only deliveries in this state"},
			{Name: "service", Help: "only deliveries of this service"},
			{Name: "channel", Help: "only deliveries of this channel"},
			{Name: "after", Help: "go on after the delivery with this id"},
			{Name: "limit", Kind: module.Int, Default: "100", Help: "how many at most"},
		},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			found, err := w.Deliver.List(ctx, deliver.Filter{
				State: deliver.State(in.Text("state")), Service: in.Text("service"), Channel: in.Text("channel"),
				After: in.Text("after"), Limit: in.Int("limit"),
			})
			if errors.Is(err, deliver.ErrNotFound) {
				return nil, module.Fail(module.NotFound, "start without --after", "there is no delivery %q", in.Text("after"))
			}
			return listedDeliveries{found}, err
		},
	}
}

func deliveriesShow(w *world.World) module.Command {
	return module.Command{
		Path: "deliveries show", Short: "show one outbound message", Args: deliveryID(),
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			found, err := w.Deliver.Get(ctx, in.Text("id"))
			return found, deliveryFailure(in.Text("id"), err)
		},
	}
}

func deliveryID() []module.Arg { return []module.Arg{{Name: "id", Help: "id of the delivery"}} }

// deliveryFailure says what to do about an id that there is not.
func deliveryFailure(id string, err error) error {
	if !errors.Is(err, deliver.ErrNotFound) {
		return err
	}
	return module.Fail(module.NotFound,
		"stoa deliveries list shows those there are; finished ones are deleted after a while", "there is no delivery %q", id)
}

// resentDelivery is the answer of "deliveries resend".
type resentDelivery struct {
	ID       string `json:"id"`
	ResendOf string `json:"resend_of"`
}

func deliveriesResend(w *world.World) module.Command {
	return module.Command{
		Path: "deliveries resend", Short: "send a finished delivery's message once more", Args: deliveryID(),
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			again, err := w.Deliver.Resend(ctx, in.Text("id"))
			if errors.Is(err, deliver.ErrPending) {
				return nil, module.Fail(module.Conflict, "wait until it is delivered or has failed", "%w", err)
			}
			return resentDelivery{ID: again, ResendOf: in.Text("id")}, deliveryFailure(in.Text("id"), err)
		},
	}
}
