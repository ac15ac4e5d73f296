package upstream

import (
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
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/service/generate/api"
)

const (
	// avoidTime is how long an address that could not be reached is passed over
	// while there are others.
	avoidTime = 5 * time.Second
	// maxErrorBody is how much of an error body is read.
	maxErrorBody = 64 << 10
)

// Client asks a group of servers.
type Client struct {
	config Config
	clock  clock.Clock
	client *http.Client
	calls  *budget.Pool
	// keyHeaders carry the key; none means a bearer token.
	keyHeaders []string

	mu sync.Mutex
	// next is whose turn it is, avoided until when an address is passed over.
	next    uint64
	avoided map[string]time.Time
}

// NewClient makes a Client. The key is sent in the headers, or as a bearer token
// when none are named.
func NewClient(c Config, gate *outbound.Gate, keyHeaders ...string) *Client {
	c = c.withDefaults()
	transport := gate.Transport(outbound.Options{})
	transport.ResponseHeaderTimeout, transport.MaxIdleConnsPerHost = c.FirstByte, c.MaxConcurrent
	transport.IdleConnTimeout, transport.DisableCompression = 30*time.Second, true
	return &Client{
		config: c, clock: clock.Real(), keyHeaders: keyHeaders, avoided: map[string]time.Time{},
		calls: budget.New(budget.Options{
			Name:  "generate.upstream." + c.Name,
			Total: int64(c.MaxConcurrent), PerOwner: int64(max(1, c.MaxConcurrent/2)),
		}),
		client: &http.Client{
			Transport: transport,
			// A key must not travel to another host.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Close closes idle connections.
func (c *Client) Close() { c.client.CloseIdleConnections() }

// retryable wraps failures that another try may mend.
type retryable struct{ cause *api.Error }

func (r retryable) Error() string { return r.cause.Message }

func (r retryable) Unwrap() error { return r.cause }

// Retryable is a failure of the server that another try may mend.
func Retryable(cause error, format string, args ...any) error {
	return retryable{api.ErrUnavailable(cause, format, args...)}
}

// Try calls fn on one address after another while its failure is retryable and
// nothing of the answer has been passed on.
func (c *Client) Try(ctx context.Context, owner budget.Owner, fn func(base string) error, begun func() bool) error {
	place, err := c.calls.Take(ctx, owner, 1)
	if err != nil {
		return &api.Error{
			Code: api.CodeExhausted, Message: "the model is busy; try again later", RetryAfter: time.Second, Cause: err,
		}
	}
	defer place.Release()
	for n := 0; ; n++ {
		err := fn(c.address())
		var again retryable
		if !errors.As(err, &again) {
			return err
		}
		if begun() || n >= c.config.Retries || ctx.Err() != nil {
			return again.cause
		}
		if err := clock.Sleep(ctx, c.clock, min(time.Second, 20*time.Millisecond<<n)); err != nil {
			return err
		}
	}
}

// address takes the addresses in turn and passes over those to be avoided.
func (c *Client) address() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, n := c.clock.Now(), uint64(len(c.config.URLs))
	c.next++
	for i := range n {
		base := c.config.URLs[(c.next+i)%n]
		if !now.Before(c.avoided[base]) {
			return base
		}
	}
	return c.config.URLs[c.next%n]
}

func (c *Client) avoid(base string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.avoided[base] = c.clock.Now().Add(avoidTime)
}

// authorize presents the key, the way the upstream's form has for it.
func (c *Client) authorize(r *http.Request) {
	if c.config.Key == "" {
		return
	}
	for _, name := range c.keyHeaders {
		r.Header.Set(name, c.config.Key)
	}
	if len(c.keyHeaders) == 0 {
		r.Header.Set("Authorization", "Bearer "+c.config.Key)
	}
}

// Read runs one try: it asks, and reads the answer for as long as it goes on.
func (c *Client) Read(
	parent context.Context, base, path string, body []byte, read func(answer io.Reader, contentType string) error,
) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	response, err := c.post(ctx, base, path, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer := &idleReader{r: response.Body, clock: c.clock, idle: c.config.Idle, cancel: cancel}
	err = read(answer, response.Header.Get("Content-Type"))
	if err != nil && errors.Is(context.Cause(ctx), errIdle) {
		return retryable{&api.Error{Code: api.CodeDeadline, Message: "the model's server fell silent", Cause: errIdle}}
	}
	if parent.Err() != nil {
		return context.Cause(parent)
	}
	return err
}

// ReadVectors runs one try for a list of vectors, which must be whole.
func (c *Client) ReadVectors(
	ctx context.Context, base, path string, body []byte, into any, whole func() bool,
) error {
	response, err := c.post(ctx, base, path, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(http.MaxBytesReader(nil, response.Body, maxAnswer))
	if err == nil {
		err = decode(text, into, maxVectorValues)
	}
	if err != nil || !whole() {
		return Retryable(err, "the model's server sent something that is not the vectors asked for")
	}
	return nil
}

// post sends a request and checks the status.
func (c *Client) post(ctx context.Context, base, path string, body []byte) (*http.Response, error) {
	address := strings.TrimRight(base, "/") + path
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	c.authorize(r)
	response, err := c.client.Do(r)
	if err != nil {
		return nil, c.unreachable(ctx, base, err)
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer response.Body.Close()
	return nil, refusal(response)
}

// unreachable is why a request had no answer.
func (c *Client) unreachable(ctx context.Context, base string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, outbound.ErrOffline) {
		return api.ErrUnavailable(err, "the model is on another machine and is not asked: %v", outbound.ErrOffline)
	}
	c.avoid(base)
	if timeout, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err); ok && timeout.Timeout() {
		return retryable{&api.Error{
			Code: api.CodeDeadline, Message: "the model's server did not begin to answer in time", Cause: err,
		}}
	}
	return Retryable(err, "the model's server cannot be reached")
}

// refusal turns a status of the upstream into one of ours. What is wrong with
// the request is the caller's to know; our key is not.
func refusal(r *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(r.Body, maxErrorBody))
	var body struct {
		Error json.RawMessage `json:"error"`
	}
	var told chatError
	if json.Unmarshal(text, &body) == nil {
		_ = json.Unmarshal(body.Error, &told) // some servers send a text here
	}
	wait := time.Second
	if seconds, err := strconv.Atoi(r.Header.Get("Retry-After")); err == nil && seconds > 0 && seconds < 86_400 {
		wait = time.Duration(seconds) * time.Second
	}
	switch {
	case r.StatusCode == http.StatusTooManyRequests:
		e := api.ErrQuota("the model's server is at its limit; try again later")
		e.RetryAfter = wait
		return retryable{e}
	case r.StatusCode >= 500:
		return Retryable(nil, "the model's server failed with status %d", r.StatusCode)
	case r.StatusCode == http.StatusBadRequest || r.StatusCode == http.StatusRequestEntityTooLarge ||
		r.StatusCode == http.StatusUnprocessableEntity:
		return api.ErrInvalid("the model's server refuses the request: %s", told.Message)
	}
	return api.ErrUnavailable(nil, "the model's server answered with status %d; "+
		"the operator must look at its address, key and model name", r.StatusCode)
}

// Check reports whether any of the addresses answers.
func (c *Client) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var bad []error
	for _, base := range c.config.URLs {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(base, "/")+"/models", nil)
		if err != nil {
			return err
		}
		c.authorize(r)
		response, err := c.client.Do(r)
		if err == nil {
			err = response.Body.Close()
		}
		if err == nil && response.StatusCode < 500 {
			return nil
		}
		bad = append(bad, fmt.Errorf("upstream %s at %s does not answer", c.config.Name, base))
	}
	return errors.Join(bad...)
}
