package web

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/build"
)

const (
	// streamInterval is how often a stream looks for what other processes wrote.
	streamInterval = 500 * time.Millisecond
	// streamRest is how many times as long as a look took a stream rests after it, maxStreamRest the longest rest: what
	// its reader takes to read counts too.
	streamRest    = 4
	maxStreamRest = 2 * time.Second
	// streamLife bounds one stream; browsers come back by themselves.
	streamLife = 10 * time.Minute
	// maxStreams bounds the streams of the process, maxStreamsPerAddress those to one address: browsers open one for
	// each page.
	maxStreams           = 512
	maxStreamsPerAddress = 32
	streamRetryAfter     = 10 * time.Second
)

// follower is how far a stream has followed a job.
type follower struct {
	p       *Pages
	buildID int64
	// send sends one event.
	send func(kind string, v any) error
	// memory is what the stream holds for held actions: what is read of them at each look, and what is remembered.
	memory *budget.Grant
	held   int64
	// sent is the last piece of each action that was sent, size how much it had printed then, status the last status.
	sent, size map[actionKey]int64
	status     map[actionKey]build.ActionStatus
	// progress is what was there at the last look.
	progress build.Progress
}

// actionMemory is what one action takes of a stream. A job may have thousands, and each of its readers looks at them
// several times a second.
const actionMemory = 1 << 10

// look reports whether anything has happened since the last look, and takes memory for what is to be read.
func (f *follower) look(ctx context.Context) (bool, error) {
	now, err := build.ProgressOf(ctx, f.p.World.DB, f.buildID)
	if err != nil || now == f.progress {
		return false, err
	}
	if err := f.memory.Grow((now.Actions - f.held) * actionMemory); err != nil {
		return false, err
	}
	f.held, f.progress = max(f.held, now.Actions), now
	return true, nil
}

type actionKey struct{ step, node int }

// The events of a stream.
type (
	stepEvent struct {
		Step   int                `json:"step"`
		Node   int                `json:"node"`
		Name   wire.Text          `json:"name"`
		Title  wire.Text          `json:"title"`
		Status build.ActionStatus `json:"status"`
		Took   string             `json:"took"`
	}
	outputEvent struct {
		Step int       `json:"step"`
		Node int       `json:"node"`
		Text wire.Text `json:"text"`
	}
	jobEvent struct {
		Status build.Status `json:"status"`
		Ended  bool         `json:"ended"`
	}
)

// advance sends what is new: steps that changed, their output, last the job itself. It reports whether the job has
// ended.
func (f *follower) advance(ctx context.Context) (ended bool, err error) {
	b, err := build.ByID(ctx, f.p.World.DB, f.buildID)
	if err != nil {
		return false, err
	}
	news, err := f.look(ctx)
	if err == nil && news {
		err = f.sendActions(ctx)
	}
	if err != nil {
		return false, err
	}
	return b.State.Ended(), f.send("job", jobEvent{b.State.Status, b.State.Ended()})
}

// sendActions sends the steps that changed, and what they have printed since.
func (f *follower) sendActions(ctx context.Context) error {
	actions, err := build.Actions(ctx, f.p.World.DB, f.buildID, 0)
	if err != nil {
		return err
	}
	for _, a := range actions {
		key := actionKey{a.Step, a.Node}
		if f.status[key] != a.Status {
			f.status[key] = a.Status
			took := elapsed(a.StartedAt, a.EndedAt)
			e := stepEvent{a.Step, a.Node, wire.Text(a.Name), wire.Text(stepTitle(a.Name)), a.Status, took}
			if err := f.send("step", e); err != nil {
				return err
			}
		}
		if f.size[key] == a.OutputSize {
			continue
		}
		f.size[key] = a.OutputSize
		f.sent[key], err = build.EachPiece(ctx, f.p.World.DB, f.buildID, a.Step, a.Node, f.sent[key],
			func(_ build.Piece, text []byte) error {
				return f.send("output", outputEvent{a.Step, a.Node, wire.Text(text)})
			})
		if err != nil {
			return err
		}
	}
	return nil
}
