package pipelines

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

const (
	// pageText is how much of a step's output a page holds; the whole is a link.
	pageText = 64 << 10
	// pageTotal is how much of all output together it holds.
	pageTotal = 2 << 20
	// pageFailed is how many failed tests it names.
	pageFailed = 1000
	// liveEvery is how often a live page looks for what other processes wrote.
	liveEvery = 500 * time.Millisecond
	// liveFor bounds one stream; browsers come back by themselves.
	liveFor = 10 * time.Minute
)

// head is the first part of what an action printed, at most so many bytes.
func (s *Service) head(ctx context.Context, a Action, most int) (text string, cut bool, err error) {
	if a.OutputSize == 0 || most <= 0 {
		return "", a.OutputSize > 0, nil
	}
	var out strings.Builder
	_, err = s.eachPiece(ctx, a.BuildID, a.Step, a.Node, 0, func(_ piece, text []byte) error {
		if room := most - out.Len(); room < len(text) {
			cut = true
			out.Write(text[:room])
			return errEnough
		}
		out.Write(text)
		return nil
	})
	return strings.ToValidUTF8(out.String(), "\uFFFD"), cut, err
}

// countTests sums up the reported cases.
func (s *Service) countTests(ctx context.Context, p *buildPage) error {
	parts, err := testsOf(ctx, s.world.DB, p.Build.ID)
	if err != nil {
		return err
	}
	for _, part := range parts {
		var cases []execute.TestCase
		if err := json.Unmarshal([]byte(part), &cases); err != nil {
			return err
		}
		for _, c := range cases {
			switch c.Result {
			case "success":
				p.Passed++
			case "skipped":
				p.Skipped++
			default:
				if len(p.Failed) >= pageFailed {
					continue
				}
				p.Failed = append(p.Failed, strings.TrimPrefix(c.Class+" "+c.Name, " "))
			}
		}
	}
	return nil
}

// handleBuildPart is what belongs to the page of a job: its events while it
// runs, its log and its artifacts.
func (s *Service) handleBuildPart(w http.ResponseWriter, r *route.Request) error {
	repo, _, _, err := s.pageTarget(r)
	if err != nil {
		return err
	}
	b, err := s.buildAt(r, repo)
	if err != nil {
		return err
	}
	parts := strings.Split(r.PathValue("part"), "/")
	switch {
	case parts[0] == "events" && len(parts) == 1:
		return s.serveEvents(w, r, b)
	case parts[0] == "log" && len(parts) == 1:
		return s.serveLog(w, r, b)
	case parts[0] == "artifacts" && len(parts) > 2:
		return s.serveArtifact(w, r, b, parts[1], strings.Join(parts[2:], "/"))
	}
	return route.ErrNoRoute
}

// stream sends server-sent events about one job.
type stream struct {
	s     *Service
	w     http.ResponseWriter
	flush *http.ResponseController
	// sent is how far the output of each action was sent, seen the last state
	// of each that was told.
	sent map[actionKey]int64
	seen map[actionKey]ActionStatus
}

// serveEvents follows a job until it ends: every step as it changes, its output
// as it comes, last the job itself.
func (s *Service) serveEvents(w http.ResponseWriter, r *route.Request, b Build) error {
	leave, err := s.queue.follow(route.Network(r.Request))
	if err != nil {
		return err
	}
	defer leave()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	st := &stream{s: s, w: w, flush: http.NewResponseController(w), sent: map[actionKey]int64{}, seen: map[actionKey]ActionStatus{}}
	heard, end := s.queue.watch(b.ID)
	defer end()
	for until := s.pace.Now().Add(liveFor); s.pace.Now().Before(until); {
		now, err := buildByID(r.Context(), s.world.DB, b.ID)
		if err != nil {
			return err
		}
		if err := st.advance(r.Context(), now); err != nil {
			return err
		}
		if now.State.Ended() {
			return nil
		}
		timer := s.pace.NewTimer(liveEvery)
		select {
		case <-heard:
		case <-timer.C:
		case <-r.Context().Done():
			timer.Stop()
			return nil
		}
		timer.Stop()
	}
	return nil
}

// advance sends what is new.
func (st *stream) advance(ctx context.Context, b Build) error {
	actions, err := actionsOf(ctx, st.s.world.DB, b.ID, 0)
	if err != nil {
		return err
	}
	for _, a := range actions {
		key := actionKey{a.Step, a.Node}
		if st.seen[key] != a.Status {
			st.seen[key] = a.Status
			e := wire.NewBuilder(eventForm, nil).Object()
			putInt(e, "step", int64(a.Step))
			putInt(e, "node", int64(a.Node))
			putText(e, "name", a.Name)
			putText(e, "status", string(a.Status))
			putText(e, "took", took(a.StartedAt, a.EndedAt))
			if err := st.send("step", e.End()); err != nil {
				return err
			}
		}
		st.sent[key], err = st.s.eachPiece(ctx, b.ID, a.Step, a.Node, st.sent[key], func(_ piece, text []byte) error {
			e := wire.NewBuilder(eventForm, nil).Object()
			putInt(e, "step", int64(a.Step))
			putInt(e, "node", int64(a.Node))
			putText(e, "text", string(text))
			return st.send("output", e.End())
		})
		if err != nil {
			return err
		}
	}
	e := wire.NewBuilder(eventForm, nil).Object()
	putText(e, "status", string(b.State.Status))
	putBool(e, "ended", b.State.Ended())
	if err := st.send("job", e.End()); err != nil {
		return err
	}
	return st.flush.Flush()
}

func (st *stream) send(kind string, e *wire.Builder) error {
	_, err := fmt.Fprintf(st.w, "event: %s\ndata: %s\n\n", kind, e.Bytes())
	return err
}
