package generate_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
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
			runtime.Gosched()
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
