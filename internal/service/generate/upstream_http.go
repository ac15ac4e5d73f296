package generate

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/platform/wire"
)

// Bounds of an upstream unless its configuration says otherwise. They run on
// the machine's clock: they bound real work.
const (
	defaultFirstByte = time.Minute
	defaultIdle      = time.Minute
	defaultCalls     = 256
	// restTime is how long an address that could not be reached is left alone
	// while there are others.
	restTime = 5 * time.Second
	// maxEvent is the longest event of a stream, maxRefusal of an error body.
	maxEvent   = 16 << 20
	maxRefusal = 64 << 10
	// maxAnswer is the longest stream, maxEventValues and maxVectorValues are
	// how many JSON values an event and a list of vectors hold.
	maxAnswer       = 64 << 20
	maxEventValues  = 200_000
	maxVectorValues = 2_000_000
)

// errOver means that an answer is longer than it may be.
var errOver = errors.New("generate: the upstream sends more than an answer may have")

// bounded reads up to maxAnswer bytes and fails beyond them, where a limit alone
// would look like the end.
type bounded struct {
	r    io.Reader
	left int64
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errOver
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// decodeAnswer reads JSON of an upstream, which is as little to be trusted as
// that of a caller.
func decodeAnswer(text []byte, into any, values int) error {
	return wire.DecodeJSON(text, into, wire.AllowNUL(), wire.MaxValues(values))
}

// decodeVectors reads a list of vectors.
func decodeVectors(r io.Reader, into any) error {
	text, err := io.ReadAll(&bounded{r, maxAnswer})
	if err != nil {
		return err
	}
	return decodeAnswer(text, into, maxVectorValues)
}

// upstream is the backend that asks servers of the OpenAI form.
type upstream struct {
	config UpstreamConfig
	clock  clock.Clock
	client *http.Client
	calls  *budget.Pool
	turn   atomic.Uint64
	// headers carry the key; none means a bearer token.
	headers []string

	mu   sync.Mutex
	rest map[string]time.Time
}

func newUpstream(c UpstreamConfig, gate *outbound.Gate) *upstream {
	if c.FirstByte == 0 {
		c.FirstByte = defaultFirstByte
	}
	if c.Idle == 0 {
		c.Idle = defaultIdle
	}
	if c.MaxConcurrent == 0 {
		c.MaxConcurrent = defaultCalls
	}
	transport := gate.Transport(outbound.Options{})
	transport.ResponseHeaderTimeout, transport.MaxIdleConnsPerHost = c.FirstByte, c.MaxConcurrent
	transport.IdleConnTimeout, transport.DisableCompression = 30*time.Second, true
	return &upstream{
		config: c, clock: clock.Real(),
		calls: budget.New(budget.Options{Name: "generate.upstream." + c.Name, Total: int64(c.MaxConcurrent), PerOwner: int64(max(1, c.MaxConcurrent/2))}),
		rest:  map[string]time.Time{},
		client: &http.Client{
			Transport: transport,
			// A key must not travel to another host.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// errSilent means that a stream paused for too long.
var errSilent = errors.New("generate: the upstream is silent")

// retryable wraps failures that another try may mend.
type retryable struct{ cause *Error }

func (r retryable) Error() string { return r.cause.Message }

// Unwrap is the failure itself.
func (r retryable) Unwrap() error { return r.cause }

// Generate asks for one candidate. Tries are repeated until the first piece
// has been passed on, never after.
func (u *upstream) Generate(ctx context.Context, p *Prompt, candidate int, emit func(Piece) error) error {
	request, err := newChatRequest(ctx, p, candidate)
	if err != nil {
		return err
	}
	body, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("say the prompt to the upstream: %w", err)
	}
	l := &listener{prompt: p, emit: emit}
	return u.try(ctx, p.Owner, func(base string) error {
		*l = listener{prompt: p, emit: emit}
		return u.attempt(ctx, base, "/chat/completions", body, func(answer io.Reader, kind string) error {
			if strings.HasPrefix(kind, "application/json") {
				return wholeChat(answer, l)
			}
			return streamChat(answer, l)
		})
	}, func() bool { return l.begun })
}

// try calls fn on one address after another while it may.
func (u *upstream) try(ctx context.Context, owner budget.Owner, fn func(base string) error, begun func() bool) error {
	place, err := u.calls.Take(ctx, owner, 1)
	if err != nil {
		return &Error{Code: CodeExhausted, Message: "the model is busy; try again later", RetryAfter: time.Second, Cause: err}
	}
	defer place.Release()
	for n := 0; ; n++ {
		err := fn(u.address())
		var again retryable
		if !errors.As(err, &again) {
			return err
		}
		if begun() || n >= u.config.Retries || ctx.Err() != nil {
			return again.cause
		}
		if err := clock.Sleep(ctx, u.clock, min(time.Second, 20*time.Millisecond<<n)); err != nil {
			return err
		}
	}
}

// address takes the addresses in turn and passes over those that rest.
func (u *upstream) address() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	now := u.clock.Now()
	start := u.turn.Add(1)
	for i := range u.config.URLs {
		base := u.config.URLs[(start+uint64(i))%uint64(len(u.config.URLs))]
		if !now.Before(u.rest[base]) {
			return base
		}
	}
	return u.config.URLs[start%uint64(len(u.config.URLs))]
}

func (u *upstream) lay(base string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.rest[base] = u.clock.Now().Add(restTime)
}

// identify presents the key, the way the upstream's form has for it.
func (u *upstream) identify(r *http.Request) {
	switch {
	case u.config.Key == "":
	case len(u.headers) > 0:
		for _, name := range u.headers {
			r.Header.Set(name, u.config.Key)
		}
	default:
		r.Header.Set("Authorization", "Bearer "+u.config.Key)
	}
}

// post sends a request and judges the status.
func (u *upstream) post(ctx context.Context, base, path string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(base, "/")+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	u.identify(r)
	response, err := u.client.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if errors.Is(err, outbound.ErrOffline) {
			return nil, errUnavailable(err, "the model is on another machine and is not asked: %v", outbound.ErrOffline)
		}
		u.lay(base)
		if timeout, ok := errors.AsType[interface {
			error
			Timeout() bool
		}](err); ok && timeout.Timeout() {
			return nil, retryable{&Error{Code: CodeDeadline, Message: "the model's server did not begin to answer in time", Cause: err}}
		}
		return nil, retryable{errUnavailable(err, "the model's server cannot be reached")}
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer response.Body.Close()
	return nil, u.refusal(response)
}

// refusal turns a status of the upstream into one of ours. What is wrong with
// the request is the caller's to know; our key is not.
func (u *upstream) refusal(r *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(r.Body, maxRefusal))
	var body struct {
		Error json.RawMessage `json:"error"`
	}
	var told chatError
	if json.Unmarshal(text, &body) == nil {
		_ = json.Unmarshal(body.Error, &told) // some servers send a text here
	}
	wait := time.Duration(0)
	if seconds, err := strconv.Atoi(r.Header.Get("Retry-After")); err == nil && seconds > 0 && seconds < 86_400 {
		wait = time.Duration(seconds) * time.Second
	}
	switch {
	case r.StatusCode == http.StatusTooManyRequests:
		return retryable{&Error{Code: CodeExhausted, Message: "the model's server is at its limit; try again later", RetryAfter: max(wait, time.Second)}}
	case r.StatusCode >= 500:
		return retryable{errUnavailable(nil, "the model's server failed with status %d", r.StatusCode)}
	case r.StatusCode == http.StatusBadRequest || r.StatusCode == http.StatusRequestEntityTooLarge || r.StatusCode == http.StatusUnprocessableEntity:
		return errInvalid("", "the model's server refuses the request: %s", told.Message)
	}
	return errUnavailable(nil, "the model's server answered with status %d; the operator must look at its address, key and model name", r.StatusCode)
}

// attempt runs one try: it asks, and reads the answer for as long as it goes on.
func (u *upstream) attempt(parent context.Context, base, path string, body []byte, read func(answer io.Reader, kind string) error) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	response, err := u.post(ctx, base, path, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	err = read(&patient{r: response.Body, clock: u.clock, idle: u.config.Idle, cancel: cancel}, response.Header.Get("Content-Type"))
	if err != nil && errors.Is(context.Cause(ctx), errSilent) {
		return retryable{&Error{Code: CodeDeadline, Message: "the model's server fell silent", Cause: errSilent}}
	}
	if parent.Err() != nil {
		return context.Cause(parent)
	}
	return err
}

// wholeChat reads a server that does not stream.
func wholeChat(r io.Reader, l *listener) error {
	var c chatChunk
	text, err := io.ReadAll(io.LimitReader(r, maxEvent))
	if err != nil {
		return retryable{errUnavailable(err, "the model's server broke off")}
	}
	if decodeAnswer(text, &c, maxEventValues) != nil || len(c.Choices) == 0 {
		return retryable{errUnavailable(nil, "the model's server sent something that is not an answer")}
	}
	if err := l.chunk(&c); err != nil {
		return err
	}
	return l.end()
}

// done is the last event of servers of the OpenAI form.
const done = "[DONE]"

// streamChat passes on events until the last.
func streamChat(r io.Reader, l *listener) error {
	err := events(r, func(data []byte) error {
		var c chatChunk
		if err := decodeAnswer(data, &c, maxEventValues); err != nil {
			return retryable{errUnavailable(err, "the model's server sent something that is not a chunk of an answer")}
		}
		return l.chunk(&c)
	}, func() bool { return l.last.Finish != "" })
	if err != nil {
		return err
	}
	return l.end()
}

// events hands over the data of server-sent events, one by one. A stream that
// just ends is whole only if the model had said why it stopped.
func events(r io.Reader, fn func(data []byte) error, whole func() bool) error {
	lines := bufio.NewScanner(&bounded{r, maxAnswer})
	lines.Buffer(make([]byte, 0, 64<<10), maxEvent)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if !ok {
			continue // blank lines, comments and event names
		}
		if data = bytes.TrimSpace(data); string(data) == done {
			break
		}
		if err := fn(data); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), errOver) {
		return errUnavailable(errOver, "the model's server sent more than %d bytes", maxAnswer)
	}
	if err := lines.Err(); err != nil || !whole() {
		return retryable{errUnavailable(err, "the model's server broke off in the middle of the answer")}
	}
	return nil
}

// patient reads, but not for ever: a pause longer than idle ends the request.
type patient struct {
	r      io.Reader
	clock  clock.Clock
	idle   time.Duration
	cancel context.CancelCauseFunc
}

// Read watches one read.
func (p *patient) Read(b []byte) (int, error) {
	timer := p.clock.NewTimer(p.idle)
	done := make(chan struct{})
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		select {
		case <-timer.C:
			p.cancel(errSilent)
		case <-done:
		}
	}()
	n, err := p.r.Read(b)
	close(done)
	timer.Stop()
	<-watching
	return n, err
}

// Embed asks for all vectors at once.
func (u *upstream) Embed(ctx context.Context, owner budget.Owner, m ModelConfig, texts []string) ([][]float32, error) {
	name := m.UpstreamModel
	if name == "" {
		name = m.ID
	}
	body, err := json.Marshal(map[string]any{"model": name, "input": texts, "encoding_format": "float"})
	if err != nil {
		return nil, fmt.Errorf("say the texts to the upstream: %w", err)
	}
	var out [][]float32
	err = u.try(ctx, owner, func(base string) error {
		out = make([][]float32, len(texts))
		response, err := u.post(ctx, base, "/embeddings", body)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		var answer struct {
			Data []struct {
				Index     int       `json:"index"`
				Embedding []float32 `json:"embedding"`
			} `json:"data"`
		}
		if err := decodeVectors(response.Body, &answer); err != nil || len(answer.Data) != len(texts) {
			return retryable{errUnavailable(err, "the model's server sent something that is not the vectors asked for")}
		}
		for _, d := range answer.Data {
			if d.Index < 0 || d.Index >= len(out) || out[d.Index] != nil {
				return errUnavailable(nil, "the model's server numbered its vectors wrongly")
			}
			out[d.Index] = d.Embedding
		}
		return nil
	}, func() bool { return false })
	return out, err
}

// Check reports whether any of the addresses answers.
func (u *upstream) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var bad []error
	for _, base := range u.config.URLs {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(base, "/")+"/models", nil)
		if err != nil {
			return err
		}
		u.identify(r)
		response, err := u.client.Do(r)
		if err == nil {
			err = response.Body.Close()
		}
		if err == nil && response.StatusCode < 500 {
			return nil
		}
		bad = append(bad, fmt.Errorf("upstream %s at %s does not answer", u.config.Name, base))
	}
	return errors.Join(bad...)
}

// close lets go of idle connections.
func (u *upstream) close() { u.client.CloseIdleConnections() }
