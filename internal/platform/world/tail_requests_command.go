package world

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/module"
)

// maxTail bounds how long an operator can have requests kept.
const maxTail = time.Hour

// tails counts the operators that watch requests: the journal is on while there
// are some.
type tails struct {
	mu sync.Mutex
	n  int
	// looked is when an administrator last looked at the requests; unlooked is there
	// while they are kept for that, and closed when the world ends.
	looked   time.Time
	unlooked chan struct{}
}

func (t *tails) begin(j *journal.Journal) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n++; t.n == 1 {
		j.SetMode(journal.Brief)
	}
}

// end turns the journal off with the last operator, which forgets what it kept.
func (t *tails) end(j *journal.Journal) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n--; t.n == 0 {
		j.SetMode(journal.Off)
	}
}

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

func (w *World) requestsTail() module.Command {
	return module.Command{
		Path:  "requests tail",
		Short: "show requests as they are answered, without headers and bodies",
		Long: "Requests are kept in memory only while the command runs, with secrets masked, " +
			"and forgotten afterwards. The command ends after the time given with --for.",
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
			return w.tail(ctx, d, in.Progress)
		},
	}
}

// tail sends each request as the note of a progress, in JSON.
func (w *World) tail(ctx context.Context, d time.Duration, send func(module.Progress)) (out tailedRequests, err error) {
	w.tails.begin(w.Journal)
	defer w.tails.end(w.Journal)
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

// keepFor is how long requests are kept after the last who looked at them.
const keepFor = time.Hour

// KeepRequests has the journal of a served world keep requests, without headers and
// bodies, until an hour has passed since the last call. In a lab it keeps all anyway.
func (w *World) KeepRequests() {
	if w.Journal == nil || w.Journal.Mode() == journal.Full {
		return
	}
	t := &w.tails
	t.mu.Lock()
	t.looked = clock.Real().Now()
	first := t.unlooked == nil
	if first {
		t.unlooked = make(chan struct{})
		go w.keepRequests(t.unlooked)
	}
	t.mu.Unlock()
	if first {
		t.begin(w.Journal)
	}
}

// keepRequests waits until no one has looked for a while, or until the world ends.
func (w *World) keepRequests(ended <-chan struct{}) {
	t := &w.tails
	for left := keepFor; left > 0; {
		timer := clock.Real().NewTimer(left)
		select {
		case <-ended:
			timer.Stop()
			return
		case <-timer.C:
		}
		t.mu.Lock()
		if left = keepFor - clock.Real().Now().Sub(t.looked); left <= 0 {
			t.unlooked = nil
		}
		t.mu.Unlock()
	}
	t.end(w.Journal)
}

// stopKeeping ends what KeepRequests began, with the world.
func (w *World) stopKeeping() error {
	w.tails.mu.Lock()
	defer w.tails.mu.Unlock()
	if w.tails.unlooked != nil {
		close(w.tails.unlooked)
		w.tails.unlooked = nil
	}
	return nil
}
