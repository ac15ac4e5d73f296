package soak_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	kms "k8s.io/kms/apis/v2"
)

// client is one of those that work side by side. It waits for its turn before each call,
// so that all together keep the pace.
type client struct {
	number int
	url    string
	env    map[string]string
	key    string
	// article is the one that the client changes, empty before it has one.
	article string
	// deviceCode is the one that the client polls with, polls how often it has.
	deviceCode string
	polls      int
	kms        kms.KeyManagementServiceClient
	http       *http.Client
	turns      <-chan time.Time // nil while there is no pace
	waits      *waits
	// plain is a bare server, asked after each call, and bare how long that took: what the
	// machine does to it, it does to the calls beside it.
	plain string
	bare  *waits
	now   func() int64
}

// credential puts the demo user's credential where the service looks for it.
func (c *client) credential(h http.Header, service string) {
	switch service {
	case "snapshots":
		h.Set("SVC-API-KEY", c.env["STOA_API_KEY"])
		h.Set("SVC-APPLICATION-KEY", c.env["STOA_APP_KEY"])
	case "pipelines":
		h.Set("Pipeline-Token", c.env["STOA_PIPELINE_TOKEN"])
	case "apikeys":
		h.Set("Authorization", "Bearer "+c.key)
	case "generate":
		h.Set("X-Vendor-Api-Key", c.env["STOA_MODEL_KEY"])
	default:
		h.Set("Authorization", "Bearer "+c.env["STOA_TOKEN"])
	}
}

// all sends lines of a method, a path and perhaps a body, one after the other.
func (c *client) all(ctx context.Context, service string, lines ...string) error {
	for _, line := range lines {
		line, body, _ := strings.Cut(line, " <- ")
		if _, err := c.send(ctx, service, line, body); err != nil {
			return err
		}
	}
	return nil
}

// send sends one call. An answer that is no success, nor one of the statuses that are
// wanted instead, is a failure.
func (c *client) send(ctx context.Context, service, line, body string, wanted ...int) (a answer, err error) {
	method, path, _ := strings.Cut(line, " ")
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, strings.NewReader(body))
	if err != nil {
		return a, err
	}
	if service == "device" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	} else {
		c.credential(r.Header, service)
		if body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
	}
	err = c.timed(ctx, func() (err error) {
		a, err = c.exchange(r)
		return err
	})
	if err == nil && a.status/100 != 2 && !slices.Contains(wanted, a.status) {
		err = fmt.Errorf("%s %s: answered %d %.300s", service, line, a.status, a.body)
	}
	return a, err
}

func (c *client) exchange(r *http.Request) (answer, error) {
	response, err := c.http.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return answer{status: response.StatusCode, header: response.Header, body: text}, err
}

// timed waits for a turn, makes a call and notes how long it took.
func (c *client) timed(ctx context.Context, call func() error) error {
	if c.turns != nil {
		select {
		case <-c.turns:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	began := time.Now()
	err := call()
	c.waits.add(time.Since(began))
	if err != nil || c.turns == nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.plain, nil)
	if err != nil {
		return err
	}
	began = time.Now()
	_, err = c.exchange(r)
	c.bare.add(time.Since(began))
	return err
}

// waits are how long the calls of the present block took.
type waits struct {
	mu   sync.Mutex
	all  []time.Duration
	many int
}

func (w *waits) add(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, d)
	w.many++
}

// take empties the list.
func (w *waits) take() []time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := w.all
	w.all = nil
	return taken
}

// count is how many calls there were.
func (w *waits) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.many
}
