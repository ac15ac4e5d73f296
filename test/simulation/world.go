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
	painter    painter
	disturbed  int // faults while jobs ran
	ended      bool
	failed     error // a process that ended did not come back
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
	// Points are the calls of the store at which Options.Point can end the process, each as
	// the kind of work that was under way.
	Points []string
	// Ended reports whether it did.
	Ended bool
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
	s.store.log, s.store.image = s.logSize, s.copyHere
	s.receiver = newReceiver(o.Seed)
	defer s.receiver.server.Close()
	if err := s.open(ctx, s.folder(0)); err != nil {
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
	if o.Pictures {
		if err := s.addPainter(ctx); err != nil {
			return Result{}, err
		}
	}
	var r Result
	for n := range o.Steps {
		if o.Calls > 0 && strings.Count(s.transcript.String(), "\n") >= o.Calls {
			break
		}
		if s.random.IntN(100) < o.Crash {
			if err := s.crash(ctx); err != nil {
				return r, err
			}
		}
		if o.Pictures && n%pictureEvery == 0 {
			s.paint(ctx)
		}
		met, err := s.step(ctx)
		if err := errors.Join(err, s.failed); err != nil {
			return r, err
		}
		r.Requests++
		r.Faults += met
	}
	s.audit()
	err = errors.Join(s.auditKeys(ctx), s.auditChannels(ctx))
	s.checkLog()
	r.Points, r.Ended = s.store.points, s.ended
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
		// Requests end by the machine's clock: a day is more than any machine holds one up.
		MoreTime: 24 * time.Hour,
	})
	if err == nil {
		s.app = opened
	}
	return err
}

// crash goes on with a copy of the folder as it is on disk, as after a kill.
func (s *simulated) crash(ctx context.Context) error {
	if err := copyFiles(s.folder(s.starts), s.folder(s.starts-1)); err != nil {
		return fmt.Errorf("crash: %w", err)
	}
	old := s.app
	return errors.Join(s.open(ctx, s.folder(s.starts)), old.Close())
}

// request is what a client sends; kind is the type of its body.
type request struct {
	method, path, credential, body, kind, ifNoneMatch string

	header map[string]string
}

// kindOfWork is the method with the beginning of the path and its last word, where that
// is none of a name.
func (q request) kindOfWork() string {
	path, _, _ := strings.Cut(q.path, "?")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if last := parts[len(parts)-1]; last == "watch" || last == "events" || last == "refresh" {
		return q.method + " " + parts[0] + " " + last
	}
	return q.method + " " + parts[0]
}

// do sends one request with JSON.
func (s *simulated) do(method, path, credential, body string) (*httptest.ResponseRecorder, int) {
	return s.send(request{method: method, path: path, credential: credential, body: body, kind: "application/json"})
}

// send sends one request. Its number of faults is what the store did meanwhile.
func (s *simulated) send(q request) (*httptest.ResponseRecorder, int) {
	ctx := s.store.begin(context.Background(), q.kindOfWork())
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
	for name, value := range q.header {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.app.Handler().ServeHTTP(w, r)
	met := s.store.faults()
	if s.comeBack(context.Background()) {
		w = httptest.NewRecorder() // no answer came
		w.WriteHeader(http.StatusBadGateway)
	}
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
