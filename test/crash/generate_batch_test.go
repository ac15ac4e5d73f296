package crash_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/test/program"
)

const (
	// batchSize is more requests than the server answers in all lives but the last.
	batchSize  = 600
	batchKills = 4
)

// TestKillBatch kills the server while batches are answered, one with its requests in a file and one
// without, beside one that has ended. Those that run go on and hold every answer once, in order; the
// one that has ended is as it was.
func TestKillBatch(t *testing.T) {
	t.Parallel()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := &batchRun{upload: upload{binary: binary, data: t.TempDir(), random: rand.New(rand.NewPCG(3, 4)), env: []string{
		"STOA_GENERATE_REQUESTS_PER_MINUTE=100000000", "STOA_GENERATE_CALLS_PER_MINUTE=100000000",
	}}}
	b.start(t)
	small := b.make(t, inlinedBatch(3))
	b.until(t, small, func(o operation) bool { return o.Done })
	before := b.get(t, "/v1beta/"+small)
	large := []string{b.make(t, inlinedBatch(batchSize)), b.make(t, b.fileBatch(t, batchSize))}
	for kill := range batchKills {
		seen := b.progress(t, large, kill)
		b.server.Kill()
		b.start(t)
		for i, name := range large {
			if again := b.read(t, name); again.answered() < seen[i] {
				t.Errorf("%s had %d answers, and %d after kill %d", name, seen[i], again.answered(), kill+1)
			}
		}
	}
	for _, name := range large {
		b.audit(t, b.until(t, name, func(o operation) bool { return o.Done }))
	}
	if after := b.get(t, "/v1beta/"+small); after != before {
		t.Errorf("the batch that had ended was\n%s\nand is\n%s", before, after)
	}
}

// batchRun is a server that answers batches, over several lives.
type batchRun struct{ upload }

// progress waits until each batch has had another request answered in this life: the job that was killed with the
// server has run again then. One that ends the process twice is kept from running, as a request that kills it would be.
func (b *batchRun) progress(t *testing.T, names []string, kill int) (seen []int64) {
	t.Helper()
	for _, name := range names {
		before := b.read(t, name).answered()
		o := b.until(t, name, func(o operation) bool { return o.Done || o.answered() > before+1 })
		if o.Done {
			t.Fatalf("%s had ended before kill %d: make it larger", name, kill+1)
		}
		seen = append(seen, o.answered())
	}
	return seen
}

// operation is a batch as its clients see it.
type operation struct {
	Name     string
	Done     bool
	Metadata struct {
		State      string
		BatchStats struct{ RequestCount, PendingRequestCount, SuccessfulRequestCount, FailedRequestCount string }
	}
	Response struct {
		ResponsesFile    string
		InlinedResponses struct{ InlinedResponses []batchAnswer }
	}
}

// batchAnswer is one result, in the batch or in a line of its file.
type batchAnswer struct {
	Key      string
	Metadata struct{ Key string }
	Response struct {
		Candidates []struct {
			Content struct{ Parts []struct{ Text string } }
		}
	}
}

func (a batchAnswer) text() string {
	if len(a.Response.Candidates) == 0 || len(a.Response.Candidates[0].Content.Parts) == 0 {
		return ""
	}
	return a.Response.Candidates[0].Content.Parts[0].Text
}

// answered is how many requests have an answer; what is left out of the statistics is zero.
func (o operation) answered() int64 {
	n, _ := strconv.ParseInt(o.Metadata.BatchStats.SuccessfulRequestCount, 10, 64)
	return n
}

func batchRequest(i int) string {
	return fmt.Sprintf(`{"contents":[{"parts":[{"text":"repeat: answer %d"}]}]}`, i)
}

func inlinedBatch(n int) string {
	var requests []string
	for i := range n {
		requests = append(requests, fmt.Sprintf(`{"request":%s,"metadata":{"key":"k%d"}}`, batchRequest(i), i))
	}
	return `{"batch":{"inputConfig":{"requests":{"requests":[` + strings.Join(requests, ",") + `]}}}}`
}

// fileBatch uploads the requests and is the body that names the file.
func (b *batchRun) fileBatch(t *testing.T, n int) string {
	t.Helper()
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, `{"key":"k%d","request":%s}`+"\n", i, batchRequest(i))
	}
	var made struct{ File struct{ Name string } }
	b.post(t, "/upload/v1beta/files?uploadType=media", "application/jsonl", lines.String(), &made)
	return `{"batch":{"inputConfig":{"fileName":"` + made.File.Name + `"}}}`
}

func (b *batchRun) make(t *testing.T, body string) string {
	t.Helper()
	var made operation
	b.post(t, "/v1beta/models/stoa-script:batchGenerateContent", "application/json", body, &made)
	return made.Name
}

func (b *batchRun) post(t *testing.T, path, media, body string, v any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", media)
	if err := json.Unmarshal([]byte(b.do(t, r)), v); err != nil {
		t.Fatal(err)
	}
}

func (b *batchRun) get(t *testing.T, path string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b.do(t, r)
}

func (b *batchRun) do(t *testing.T, r *http.Request) string {
	t.Helper()
	r.Header.Set("X-Vendor-Api-Key", b.key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %s %v", r.URL.Path, response.Status, text, err)
	}
	return string(text)
}

func (b *batchRun) read(t *testing.T, name string) (o operation) {
	t.Helper()
	if err := json.Unmarshal([]byte(b.get(t, "/v1beta/"+name)), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// until asks for a batch until something is true of it.
func (b *batchRun) until(t *testing.T, name string, holds func(operation) bool) operation {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		o := b.read(t, name)
		if holds(o) {
			return o
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s stays at %+v", name, o.Metadata)
		}
	}
}

// audit wants every answer once, in the order of the requests.
func (b *batchRun) audit(t *testing.T, o operation) {
	t.Helper()
	answers := o.Response.InlinedResponses.InlinedResponses
	if file := o.Response.ResponsesFile; file != "" {
		for line := range strings.Lines(b.get(t, "/v1beta/"+file+":download?alt=media")) {
			var a batchAnswer
			if err := json.Unmarshal([]byte(line), &a); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			a.Metadata.Key = a.Key
			answers = append(answers, a)
		}
	}
	if o.Metadata.State != "BATCH_STATE_SUCCEEDED" || len(answers) != batchSize || o.answered() != batchSize {
		t.Fatalf("%s is %s with %d answers and counts %d, want %d", o.Name, o.Metadata.State, len(answers), o.answered(),
			batchSize)
	}
	for i, a := range answers {
		if key, text := fmt.Sprint("k", i), fmt.Sprint("answer ", i); a.Metadata.Key != key || a.text() != text {
			t.Errorf("%s, place %d: %q says %q, want %q and %q", o.Name, i, a.Metadata.Key, a.text(), key, text)
		}
	}
}
