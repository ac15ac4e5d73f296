package commands

import (
	"context"
	"encoding/json"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
)

// maxTail bounds how long an operator can have requests kept.
const maxTail = time.Hour

// TailedRequest is one line of "requests tail".
type TailedRequest struct {
	At        time.Time `json:"at"`
	Service   string    `json:"service"`
	Operation string    `json:"operation"`
	Method    string    `json:"method"`
	Path      string    `json:"path"`
	Query     string    `json:"query,omitempty"`
	Status    int       `json:"status"`
	Reason    string    `json:"reason,omitempty"`
	Caller    string    `json:"caller,omitempty"`
	Millis    float64   `json:"durationMs"`
}

// tailedRequests is the answer of "requests tail".
type tailedRequests struct {
	Requests int64 `json:"requests"`
	Missed   int64 `json:"missed"`
}

func requestsTail(w *world.World) module.Command {
	return module.Command{
		Path:  "requests tail",
		Short: "show requests as they are answered, without headers and bodies",
		Long: "Secrets are masked. The command ends after the time given with --for. The newest requests are kept " +
			"in memory: /console/requests shows those from before.",
		Flags: []module.Flag{
			{Name: "for", Kind: module.Duration, Default: "10m", Help: "how long, at most 1h"},
		},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			d := in.Duration("for")
			switch {
			case d <= 0 || d > maxTail:
				return nil, module.Fail(module.Usage, "use a duration such as 10m, at most 1h", "--for is out of range")
			case w.Journal == nil || w.Journal.Mode() == journal.Full:
				return nil, module.Fail(module.Usage, "name the world: stoa requests tail WORLD",
					"the requests of this world are kept by a lab")
			}
			return tail(ctx, w, d, in.Progress)
		},
	}
}

// tail sends each request as the note of a progress, in JSON.
func tail(
	ctx context.Context, w *world.World, d time.Duration, send func(module.Progress)) (out tailedRequests, err error) {
	watcher := w.Journal.Watch()
	defer watcher.Stop()
	timer := clock.Real().NewTimer(d)
	defer timer.Stop()
	send(module.Progress{}) // it has begun
	for {
		select {
		case <-ctx.Done():
			return out, nil
		case <-timer.C:
			return out, nil
		case r, ok := <-watcher.Records():
			if !ok {
				return out, nil
			}
			text, err := json.Marshal(TailedRequest{
				At: r.At, Service: r.Service, Operation: r.Operation, Method: r.Method, Path: r.Path(), Query: r.Query(),
				Status: r.Status, Reason: r.Reason(), Caller: r.Caller(), Millis: float64(r.Duration.Microseconds()) / 1000,
			})
			if err != nil {
				return out, err
			}
			out.Requests++
			out.Missed += watcher.Missed()
			send(module.Progress{Done: out.Requests, Note: string(text)})
		}
	}
}
