package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"stoa.dev/stoa/test/bench/drive"
)

const (
	openStreams     = 1000
	measuredStreams = 400
	// streamPause is between two starts: a steady arrival, not a stampede, which
	// would measure how fast this machine makes a thousand of anything.
	streamPause = 8 * time.Millisecond
)

// generateStreams holds a thousand streams open and measures new ones.
func (b *bench) generateStreams(ctx context.Context) ([]result, error) {
	rules := b.folder("streams-rules.yaml")
	slow := `rules: [{name: slow, reply: {text: "` + strings.Repeat("tick ", 600) + `", chunk_tokens: 1, chunk_delay: 2s}}]`
	if err := os.WriteFile(rules, []byte(slow), 0o600); err != nil {
		return nil, err
	}
	o, key, err := b.startGenerate(ctx, "generate-streams", "generate:\n  script: "+rules+"\n")
	if err != nil {
		return nil, err
	}
	defer o.close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	text := drive.Request("POST", "/v1beta/models/stoa-script:streamGenerateContent?alt=sse&key="+key, o.address(), "",
		generateBody)
	var group sync.WaitGroup
	var mu sync.Mutex
	var took []time.Duration
	var failed []error
	start := func(measured bool) {
		group.Go(func() {
			d, err := firstByte(ctx, o.address(), text)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = append(failed, err)
			} else if measured {
				took = append(took, d)
			}
		})
	}
	for i := range openStreams + measuredStreams {
		start(i >= openStreams)
		time.Sleep(streamPause)
	}
	group.Wait()
	if err := errors.Join(failed...); err != nil {
		return nil, fmt.Errorf("generate: %d of %d streams began: %w", len(took), measuredStreams, err)
	}
	slices.Sort(took)
	p99 := took[len(took)*99/100]
	return []result{{value: float64(p99.Microseconds()) / 1000, p50: took[len(took)/2], p99: p99, judged: true}}, nil
}

// firstByte starts a stream, measures its first event, and keeps it open until
// ctx ends.
func firstByte(ctx context.Context, address string, text []byte) (time.Duration, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return 0, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	begin := time.Now()
	if _, err := conn.Write(text); err != nil {
		return 0, err
	}
	lines := bufio.NewReader(conn)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return 0, err
		}
		if strings.HasPrefix(line, "data:") {
			break
		}
	}
	took := time.Since(begin)
	go func() {
		_, _ = io.Copy(io.Discard, lines) // until it is closed
		stop()
		_ = conn.Close()
	}()
	return took, nil
}

// chatStub answers like a server of the OpenAI form, at once.
func chatStub() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range []string{
			`{"choices":[{"index":0,"delta":{"role":"assistant","content":"Good day"}}]}`,
			`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`, "[DONE]",
		} {
			fmt.Fprintf(w, "data: %s\n\n", event)
			_ = http.NewResponseController(w).Flush()
		}
	}))
}

// generateUpstream asks a stub directly and through the service, in turns.
func (b *bench) generateUpstream(ctx context.Context) ([]result, error) {
	stub := chatStub()
	defer stub.Close()
	o, key, err := b.startGenerate(ctx, "generate-upstream", `generate:
  upstreams: [{name: stub, urls: ["`+stub.URL+`/v1"]}]
  models: [{id: stub, backend: upstream, upstream: stub, input_token_limit: 1000, output_token_limit: 1000}]
`)
	if err != nil {
		return nil, err
	}
	defer o.close()
	direct, through := stub.URL+"/v1/chat/completions", o.URL+"/v1beta/models/stub:streamGenerateContent?alt=sse&key="+key
	var bare, ours []time.Duration
	for i := range 600 {
		d, err := event(ctx, direct)
		if err != nil {
			return nil, err
		}
		u, err := event(ctx, through)
		if err != nil {
			return nil, err
		}
		if i >= 100 { // the first warm the connections
			bare, ours = append(bare, d), append(ours, u)
		}
	}
	slices.Sort(bare)
	slices.Sort(ours)
	added := ours[len(ours)/2] - bare[len(bare)/2]
	return []result{
		{
			value: float64(added.Microseconds()), p50: ours[len(ours)/2], p99: ours[len(ours)*99/100],
			bareP99: bare[len(bare)*99/100], judged: true,
		},
	}, nil
}

// event is how long the first event of an answer takes.
func event(ctx context.Context, address string) (time.Duration, error) {
	begin := time.Now()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(generateBody))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if _, err := io.ReadFull(response.Body, make([]byte, 5)); err != nil {
		return 0, err
	}
	took := time.Since(begin)
	_, err = io.Copy(io.Discard, response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("generate: %s", response.Status)
	}
	return took, err
}
