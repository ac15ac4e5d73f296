package generate_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/service/generate"
)

// TestManyStreams holds a thousand streams open at once: each has its first
// chunk before any may go on, and all end whole.
func TestManyStreams(t *testing.T) {
	t.Parallel()
	const streams = 1000
	rules := t.TempDir() + "/rules.yaml"
	writeFile(t, rules, `rules: [{name: slow, reply: {text: "one two three four five six", chunk_tokens: 3, chunk_delay: 1s}}]`)
	config := generate.DefaultConfig()
	config.Script = rules
	h := identitytest.SQLite(t, build(config))
	c := newClient(t, h, "ada")
	server := httptest.NewServer(h.Module.Handler)
	t.Cleanup(server.Close)
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: streams}}
	t.Cleanup(client.CloseIdleConnections)

	var begun, done sync.WaitGroup
	begun.Add(streams)
	failed := make(chan error, streams)
	for range streams {
		done.Go(func() {
			failed <- readSlowly(client, server.URL+script+"streamGenerateContent?alt=sse&key="+c.key, begun.Done)
		})
	}
	begun.Wait()
	ended := make(chan struct{})
	go func() { done.Wait(); close(ended) }()
	for waiting := true; waiting; {
		select {
		case <-ended:
			waiting = false
		default:
			h.Clock.Advance(time.Second)
			<-time.After(time.Millisecond)
		}
	}
	for range streams {
		if err := <-failed; err != nil {
			t.Fatal(err)
		}
	}
}

// readSlowly tells when the first chunk is there and reads the rest.
func readSlowly(client *http.Client, address string, first func()) error {
	first = sync.OnceFunc(first)
	defer first()
	response, err := client.Post(address, "application/json", strings.NewReader(hello("")))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	lines := bufio.NewReader(response.Body)
	one, err := lines.ReadString('\n')
	if err != nil || !strings.Contains(one, `"one two three"`) {
		return fmt.Errorf("first chunk %q: %w", one, err)
	}
	first()
	rest, err := io.ReadAll(lines)
	if err != nil || !strings.Contains(string(rest), `"finishReason":"STOP"`) {
		return fmt.Errorf("the rest %q: %w", rest, err)
	}
	return nil
}

// leaver is a connection whose other end goes away after some writes.
type leaver struct {
	http.ResponseWriter
	left  int
	leave func()
}

func (l *leaver) Write(b []byte) (int, error) {
	if l.left--; l.left == 0 {
		l.leave()
	}
	return l.ResponseWriter.Write(b)
}

func (l *leaver) Unwrap() http.ResponseWriter { return l.ResponseWriter }

// TestStreamsCostWhatTheySaid charges for streams that end in the middle,
// whatever broke it, so that leaving early is no way around the budget.
func TestStreamsCostWhatTheySaid(t *testing.T) {
	t.Parallel()
	rules := t.TempDir() + "/rules.yaml"
	words := strings.Repeat("word ", 60)
	writeFile(t, rules, `
rules:
  - {name: breaks, when: {text: break}, reply: {text: "`+words+`", chunk_tokens: 10, error: {status: UNAVAILABLE, message: gone}, error_after: 5}}
  - {name: long, when: {text: long}, reply: {text: "`+words+`", chunk_tokens: 10}}
`)
	config := generate.DefaultConfig()
	config.Script, config.TokensPerMinute = rules, 40
	on(t, config, func(t *testing.T, c client) {
		stream := func(text string) *http.Request {
			return httptest.NewRequest("POST", script+"streamGenerateContent?alt=sse&key="+c.key,
				strings.NewReader(prompt(text, "")))
		}
		c.h.Do(stream("break"))
		c.want(429, "POST", script+"generateContent", hello(""))
		if got := c.h.Log.String(); !strings.Contains(got, "stream failed") || !strings.Contains(got, "gone") {
			t.Errorf("the log does not tell why the stream broke: %s", got)
		}
		c.h.Clock.Advance(2 * time.Minute)
		c.want(200, "POST", script+"generateContent", hello(""))
		c.h.Clock.Advance(2 * time.Minute)
		ctx, leave := context.WithCancel(t.Context())
		abandoned(func() {
			c.h.Module.Handler.ServeHTTP(&leaver{httptest.NewRecorder(), 5, leave}, stream("long").WithContext(ctx))
		})
		c.want(429, "POST", script+"generateContent", hello(""))
	})
}
