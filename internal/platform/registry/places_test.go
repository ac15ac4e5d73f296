package registry_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/platform/registry/machineconfig"
	"stoa.dev/stoa/internal/platform/wire"
)

// hanging answers /hang… never and everything else at once.
func hanging(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if len(r.URL.Path) > 4 && r.URL.Path[:5] == "/hang" {
			<-r.Context().Done()
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// A registry that hangs on more packages than a host has places holds up none
// of the others, nor another ecosystem on the same host.
func TestAHangHoldsUpItselfAlone(t *testing.T) {
	t.Parallel()
	server := hanging(t)
	c := trusted(t, server, registry.ClientOptions{PerHost: 4, Timeout: 30 * time.Second})
	here := budget.Address("192.0.2.1")
	task := func(kind registry.Kind, name string, owner budget.Owner) registry.Task {
		return registry.Task{Kind: kind, Package: name, Owner: owner}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	defer wait.Wait()
	defer cancel()
	for i := range 6 {
		name := fmt.Sprint("/hang", i)
		wait.Go(func() {
			_, _ = c.Get(registry.WithTask(ctx, task(registry.NPM, name, here)), registry.Request{URL: server.URL + name})
		})
	}
	for _, row := range []struct {
		name string
		task registry.Task
	}{
		{"another ecosystem", task(registry.PyPI, "left", here)},
		{"another owner", task(registry.NPM, "left", budget.Address("192.0.2.2"))},
		{"the same owner", task(registry.NPM, "right", here)},
	} {
		start := time.Now()
		_, err := c.Get(registry.WithTask(t.Context(), row.task), registry.Request{URL: server.URL + "/ok"})
		if took := time.Since(start); err != nil || took > 5*time.Second {
			t.Errorf("%s: %v after %s, want an answer in about a second at most", row.name, err, took)
		}
	}
}

// What hangs says nothing about its host: it does not rest.
func TestLateAnswersDoNotRestAHost(t *testing.T) {
	t.Parallel()
	server := hanging(t)
	c := trusted(t, server, registry.ClientOptions{Timeout: 50 * time.Millisecond})
	for range 6 {
		if _, err := c.Get(t.Context(), registry.Request{URL: server.URL + "/hang"}); err == nil ||
			errors.Is(err, registry.ErrResting) {
			t.Fatalf("got %v, want a time-out", err)
		}
	}
	if _, err := c.Get(t.Context(), registry.Request{URL: server.URL + "/ok"}); err != nil {
		t.Errorf("got %v, want an answer", err)
	}
}

// A credential is sent where it was configured, never where it was found.
func TestFoundCredentialsAreNotSent(t *testing.T) {
	t.Parallel()
	var sent atomic.Value
	server := httptest.NewServer(
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { sent.Store(r.Header.Get("Authorization")) }))
	t.Cleanup(server.Close)
	u, _ := url.Parse(server.URL)
	u.User = url.UserPassword("me", "secret")
	for _, row := range []struct {
		name, credential string
		options          machineconfig.Options
		sent             bool
	}{
		{"found", "found, not sent", machineconfig.Options{Run: nothing, Getenv: func(name string) string {
			return map[string]string{"npm_config_registry": u.String()}[name]
		}}, false},
		{"configured", "configured, sent",
			machineconfig.Options{Configured: map[registry.Kind][]string{registry.NPM: {u.String()}}}, true},
	} {
		at, err := machineconfig.New(row.options).Find(t.Context(), registry.NPM)
		if err != nil || len(at) != 1 || at[0].Credential() != row.credential {
			t.Fatalf("%s: %+v, %v, want credential %q", row.name, at, err, row.credential)
		}
		c := registry.NewClient(registry.ClientOptions{})
		t.Cleanup(c.Close)
		c.Trust(at[0])
		if _, err := c.Get(t.Context(), registry.Request{URL: at[0].URL}); err != nil || (sent.Load() != "") != row.sent {
			t.Errorf("%s: %v, sent %q, want sent %t", row.name, err, sent.Load(), row.sent)
		}
	}
}

// A body takes its task's memory while it is read, whatever its length says.
func TestBodiesTakeMemory(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range 64 {
			_, _ = w.Write(make([]byte, 1<<14))
			w.(http.Flusher).Flush()
		}
	}))
	t.Cleanup(server.Close)
	c := trusted(t, server, registry.ClientOptions{})
	pool := budget.New(budget.Options{Name: "memory", Total: 1 << 20})
	owner := budget.Caller("ada")
	memory, err := pool.Take(t.Context(), owner, 1)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Get(registry.WithTask(t.Context(), registry.Task{Owner: owner, Memory: memory}),
		registry.Request{URL: server.URL})
	var busy *limit.Exceeded
	if !errors.Is(err, wire.ErrTooLarge) && !errors.As(err, &busy) {
		t.Errorf("got %v, want a refusal of the pool", err)
	}
	if memory.Release(); pool.Used() != 0 {
		t.Errorf("%d bytes are held after the task", pool.Used())
	}
}

// Offline, loopback is asked and nothing else.
func TestOffline(t *testing.T) {
	t.Parallel()
	server := hanging(t)
	c := trusted(t, server, registry.ClientOptions{Outbound: outbound.New(true)})
	if _, err := c.Get(t.Context(), registry.Request{URL: server.URL + "/ok"}); err != nil {
		t.Errorf("loopback: %v", err)
	}
	a, err := registry.NewAddress(registry.NPM, "https://registry.example", "test")
	if err != nil {
		t.Fatal(err)
	}
	c.Trust(a)
	if _, err := c.Get(t.Context(), registry.Request{URL: a.URL}); !errors.Is(err, outbound.ErrOffline) {
		t.Errorf("elsewhere: %v, want ErrOffline", err)
	}
}

// A finder that keeps still runs nothing that would itself ask outside.
func TestFindStill(t *testing.T) {
	t.Parallel()
	for _, still := range []bool{false, true} {
		var ran []string
		f := machineconfig.New(machineconfig.Options{Still: still, Root: t.TempDir(),
			Run: func(_ context.Context, name string, args ...string) (string, error) {
				ran = append(ran, name+" "+fmt.Sprint(args))
				return "", errors.New("not installed")
			}})
		if _, err := f.Find(t.Context(), registry.Cargo); !errors.Is(err, machineconfig.ErrNone) || (len(ran) == 0) != still {
			t.Errorf("still %t: %v, ran %v", still, err, ran)
		}
	}
}
