package kubernetes

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/outbound"
)

const (
	// callTimeout bounds one call that is not a stream.
	callTimeout = 30 * time.Second
	// connectTimeout bounds a connection attempt.
	connectTimeout = 10 * time.Second
	// maxAnswer bounds an object that is read.
	maxAnswer = 8 << 20
)

// api calls an API server.
type api struct {
	*connection
	client *http.Client
	gate   *outbound.Gate
	clock  clock.Clock // of pings
}

func newAPI(c *connection, gate *outbound.Gate, now clock.Clock) *api {
	transport := gate.Transport(outbound.Options{Timeout: connectTimeout})
	transport.TLSClientConfig = c.tls.Clone() // the transport adds HTTP/2 to it
	return &api{connection: c, gate: gate, clock: now, client: &http.Client{Transport: transport, Timeout: callTimeout}}
}

// answerError is a call that the API server refused.
type answerError struct {
	code  int
	text  string
	after time.Duration // of Retry-After, which API servers write in seconds
}

// Error implements error.
func (e *answerError) Error() string {
	return fmt.Sprintf("kubernetes: the API server answered %d: %s", e.code, e.text)
}

// isAnswer reports whether an error is an answer with this code.
func isAnswer(err error, code int) bool {
	var answer *answerError
	return errors.As(err, &answer) && answer.code == code
}

// call is callOnce, again while the API server is away for a while.
func (a *api) call(ctx context.Context, method, path string, query url.Values, body, answer any) error {
	return a.persist(ctx, func(bool) error { return a.callOnce(ctx, method, path, query, body, answer) })
}

// callOnce sends an object and reads the answer into another; either may be nil.
func (a *api) callOnce(ctx context.Context, method, path string, query url.Values, body, answer any) error {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(text)
	}
	text, err := a.send(ctx, method, path, query, content)
	if err != nil {
		return err
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("kubernetes: the answer to %s %s: %w", method, path, err)
	}
	return nil
}

func (a *api) send(ctx context.Context, method, path string, query url.Values, body io.Reader) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, a.address("https", path, query), body)
	if err != nil {
		return nil, err
	}
	if err := a.authorize(r.Header); err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := a.client.Do(r)
	if err != nil {
		return nil, &connectionError{err}
	}
	defer func() { _ = response.Body.Close() }() // read, or not needed
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, &connectionError{err}
	case len(text) > maxAnswer:
		return nil, fmt.Errorf("kubernetes: the answer to %s %s has more than %d bytes", method, path, maxAnswer)
	case response.StatusCode/100 != 2:
		return nil, refusal(response, text)
	}
	return text, nil
}

func (a *api) address(scheme, path string, query url.Values) string {
	to := *a.server.JoinPath(path)
	to.Scheme, to.RawQuery = scheme, query.Encode()
	return to.String()
}

func (a *api) authorize(h http.Header) error {
	token, err := a.bearer()
	if err != nil {
		return err
	}
	if token != "" {
		h.Set("Authorization", "Bearer "+token)
	}
	h.Set("User-Agent", "stoa")
	return nil
}

// refusal reads the API server's own words, or says the first of others.
func refusal(response *http.Response, text []byte) error {
	var s status
	if err := json.Unmarshal(text, &s); err != nil || s.Message == "" {
		s.Message = cmp.Or(fmt.Sprintf("%.200s", text), http.StatusText(response.StatusCode))
	}
	e := &answerError{code: response.StatusCode, text: s.Message}
	if after, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && after > 0 {
		e.after = time.Duration(after) * time.Second
	}
	return e
}
