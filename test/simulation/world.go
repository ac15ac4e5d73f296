package simulation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/ids"
)

// simulated is one run: the world, what its clients know, and what was broken.
type simulated struct {
	options    Options
	dir        string
	starts     int
	clock      *clock.Virtual
	store      *faultyStore
	random     *rand.Rand // of the clients
	app        *app.App
	log        bytes.Buffer
	transcript strings.Builder
	receiver   *receiver
	device     device
	feed       feed
	keys       keys
	disturbed  int // faults while jobs ran
	users      []*user
	secrets    []string
	broken     []string
}

// Result is what a run came to.
type Result struct {
	// Transcript is every answer, a line each.
	Transcript string
	// Broken are the promises that were not kept.
	Broken []string
	// Requests and Faults count what happened.
	Requests, Faults int
}

// labelLimit is what one user may ask of labels in a minute.
const labelLimit = 20

// Run runs a world in a folder that is its own.
func Run(ctx context.Context, dir string, o Options) (_ Result, err error) {
	s := &simulated{
		options: o, dir: dir, clock: clock.NewVirtual(beginning()), random: rand.New(rand.NewPCG(o.Seed, 3)),
		keys: keys{gone: map[string]bool{}, unsure: map[string]bool{}},
	}
	s.store = newFaultyStore(o, s.clock)
	s.receiver = newReceiver(o.Seed)
	defer s.receiver.server.Close()
	if err := s.open(ctx, filepath.Join(dir, "0")); err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, s.app.Close()) }()
	for _, name := range []string{"ada", "bob"} {
		if err := s.addUser(ctx, name); err != nil {
			return Result{}, err
		}
	}
	if err := errors.Join(s.addDevice(ctx), s.addRepository(ctx)); err != nil {
		return Result{}, err
	}
	var r Result
	for range o.Steps {
		if s.random.IntN(100) < o.Crash {
			if err := s.crash(ctx); err != nil {
				return r, err
			}
		}
		met, err := s.step(ctx)
		if err != nil {
			return r, err
		}
		r.Requests++
		r.Faults += met
	}
	s.audit()
	err = errors.Join(s.auditKeys(ctx), s.auditChannels(ctx))
	s.checkLog()
	r.Transcript, r.Broken = s.transcript.String(), s.broken
	return r, err
}

func (s *simulated) open(ctx context.Context, dir string) error {
	c := app.DefaultConfig()
	c.Data, c.BaseURL, c.Database.URL = dir, "http://127.0.0.1:1", s.options.Database
	c.Labels.RequestsPerMinute = labelLimit
	// A data key that nears its end is renewed beside the requests, when that comes.
	c.KMS.DataKeyTime = 7 * 24 * time.Hour
	c.Deliver.Loopback = &deliver.Loopback{}
	s.starts++
	opened, err := app.New(ctx, app.Options{
		Config: c, Version: "simulation", LogTo: &s.log, Clock: s.clock,
		IDs:       ids.Seeded(s.options.Seed<<8 + uint64(s.starts)),
		Passwords: identitytest.Passwords(), NoHTTP: true, NoSync: true, AroundStore: s.store.around,
		ThrowAway: "it is simulated",
	})
	if err == nil {
		s.app = opened
	}
	return err
}

// crash goes on with a copy of the folder as it is on disk, as after a kill.
func (s *simulated) crash(ctx context.Context) error {
	from, to := filepath.Join(s.dir, strconv.Itoa(s.starts-1)), filepath.Join(s.dir, strconv.Itoa(s.starts))
	if err := copyFiles(to, from); err != nil {
		return fmt.Errorf("crash: %w", err)
	}
	old := s.app
	return errors.Join(s.open(ctx, to), old.Close())
}

// request is what a client sends; kind is the type of its body.
type request struct{ method, path, credential, body, kind, ifNoneMatch string }

// do sends one request with JSON.
func (s *simulated) do(method, path, credential, body string) (*httptest.ResponseRecorder, int) {
	return s.send(request{method: method, path: path, credential: credential, body: body, kind: "application/json"})
}

// send sends one request. Its number of faults is what the store did meanwhile.
func (s *simulated) send(q request) (*httptest.ResponseRecorder, int) {
	ctx := s.store.begin(context.Background())
	r := httptest.NewRequestWithContext(ctx, q.method, "http://127.0.0.1:1"+q.path, strings.NewReader(q.body))
	r.RemoteAddr = "127.0.0.1:2"
	if q.credential != "" {
		r.Header.Set("Authorization", "Bearer "+q.credential)
	}
	if q.body != "" {
		r.Header.Set("Content-Type", q.kind)
	}
	if q.ifNoneMatch != "" {
		r.Header.Set("If-None-Match", q.ifNoneMatch)
	}
	w := httptest.NewRecorder()
	s.app.Handler().ServeHTTP(w, r)
	met := s.store.faults()
	fmt.Fprintf(&s.transcript, "%s %s %d %q\n", q.method, q.path, w.Code, w.Body)
	if w.Code >= http.StatusInternalServerError && met == 0 {
		s.violate("P11: %s %s: %d without a fault: %s", q.method, q.path, w.Code, w.Body)
	}
	return w, met
}

func (s *simulated) violate(format string, args ...any) {
	s.broken = append(s.broken, fmt.Sprintf(format, args...))
}

// command runs an operator's command, without faults.
func (s *simulated) command(ctx context.Context, path string, values map[string][]string) (map[string]any, error) {
	result, err := s.app.RunCommand(ctx, path, values, nil)
	if err != nil {
		return nil, fmt.Errorf("stoa %s: %w", path, err)
	}
	text, err := json.Marshal(result)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	return out, json.Unmarshal(text, &out)
}

// checkLog: no credential of the run is in the log (P12).
func (s *simulated) checkLog() {
	log := s.log.String()
	for _, secret := range s.secrets {
		if strings.Contains(log, secret) {
			s.violate("P12: a credential is in the log")
		}
	}
}
