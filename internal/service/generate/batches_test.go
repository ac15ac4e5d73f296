package generate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/generate"
	"stoa.dev/stoa/internal/service/generate/files"
)

const batchVerb = "/v1beta/models/stoa-script:batchGenerateContent"

func asked(text string) string { return `{"contents":[{"parts":[{"text":"` + text + `"}]}]}` }

// inlined is a body with requests of its own.
func inlined(requests ...string) string {
	return `{"batch":{"display_name":"mine","input_config":{"requests":{"requests":[` +
		strings.Join(requests, ",") + `]}}}}`
}

// settle runs what is due.
func (c client) settle() {
	c.t.Helper()
	if err := c.h.World.Jobs.Settle(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
}

// upload gives the name of a new file.
func (c client) upload(text string) string {
	c.t.Helper()
	w := c.h.Call("POST", "/upload/v1beta/files?uploadType=media&key="+c.key, text, "Content-Type: application/jsonl")
	var made map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != 200 {
		c.t.Fatalf("upload: %d %s", w.Code, w.Body)
	}
	return dig(made, "file", "name").(string)
}

// TestBatch has requests answered later, each in its place.
func TestBatch(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		made := c.want(200, "POST", batchVerb, inlined(
			`{"request":`+asked("repeat: one")+`,"metadata":{"my_key":"a"}}`,
			`{"request":{"contents":{"parts":{"text":"repeat: two"}},"generation_config":{"maxOutputTokens":"800"}}}`,
			`{"request":{"contents":[{"parts":[{"text":"x"}]}],"cachedContent":"cachedContents/none"}}`,
		))
		name := dig(made, "name").(string)
		if dig(made, "metadata", "state") != "BATCH_STATE_PENDING" || dig(made, "done") != nil ||
			dig(made, "metadata", "batchStats", "pendingRequestCount") != "3" {
			t.Errorf("made: %v", made)
		}
		c.settle()
		got := c.want(200, "GET", "/v1beta/"+name, "")
		if dig(got, "metadata", "state") != "BATCH_STATE_SUCCEEDED" || dig(got, "done") != true ||
			dig(got, "metadata", "batchStats", "failedRequestCount") != "1" || dig(got, "metadata", "displayName") != "mine" {
			t.Errorf("ended: %v", got)
		}
		text := func(i int) any {
			return dig(got, "response", "inlinedResponses", "inlinedResponses", i, "response", "candidates", 0, "content",
				"parts", 0, "text")
		}
		if text(0) != "one" || text(1) != "two" {
			t.Errorf("answers %v, %v in %v", text(0), text(1), got)
		}
		if m := dig(got, "metadata", "output", "inlinedResponses", "inlinedResponses", 0, "metadata", "my_key"); m != "a" {
			t.Errorf("metadata: %v", got)
		}
		refused := dig(got, "response", "inlinedResponses", "inlinedResponses", 2, "error")
		if dig(refused, "code") != 7.0 || !strings.Contains(dig(refused, "message").(string), "cachedContents/none") {
			t.Errorf("refused: %v", refused)
		}
		if page := c.want(200, "GET", "/v1beta/batches", ""); dig(page, "operations", 0, "name") != name {
			t.Errorf("list: %v", page)
		}
		c.want(400, "POST", "/v1beta/"+name+":cancel", "")
		c.want(200, "DELETE", "/v1beta/"+name, "")
		c.want(404, "GET", "/v1beta/"+name, "")
	})
}

// TestBatchOfFile reads requests from an uploaded file and gives the results in another.
func TestBatchOfFile(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		lines := `{"key":"a","request":` + asked("repeat: one") + "}\n\n" +
			`{"key":"b","request":{"unheard_of":1}}` + "\nnonsense\n"
		file := c.upload(lines)
		made := c.want(200, "POST", batchVerb, `{"batch":{"inputConfig":{"fileName":"`+file+`"}}}`)
		name := dig(made, "name").(string)
		c.settle()
		got := c.want(200, "GET", "/v1beta/"+name, "")
		results, _ := dig(got, "response", "responsesFile").(string)
		if dig(got, "metadata", "state") != "BATCH_STATE_SUCCEEDED" || results == "" ||
			dig(got, "metadata", "batchStats", "requestCount") != "3" ||
			dig(got, "metadata", "batchStats", "failedRequestCount") != "2" ||
			dig(got, "metadata", "batchStats", "pendingRequestCount") != nil {
			t.Fatalf("ended: %v", got)
		}
		if f := c.want(200, "GET", "/v1beta/"+results, ""); dig(f, "source") != "GENERATED" || dig(f, "state") != "ACTIVE" {
			t.Errorf("file: %v", f)
		}
		text := c.call("GET", "/v1beta/"+results+":download?alt=media", "").Body.String()
		var read []map[string]any
		for line := range strings.Lines(text) {
			var v map[string]any
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			read = append(read, v)
		}
		if len(read) != 3 || dig(read[0], "key") != "a" ||
			dig(read[0], "response", "candidates", 0, "content", "parts", 0, "text") != "one" ||
			dig(read[1], "key") != "b" || dig(read[1], "error", "code") != 3.0 ||
			!strings.Contains(fmt.Sprint(dig(read[2], "error", "message")), "line 4") {
			t.Errorf("results: %s", text)
		}
		c.want(400, "GET", "/v1beta/"+file+":download", "")
		empty := c.upload("\n\n")
		name = dig(c.want(200, "POST", batchVerb, `{"batch":{"inputConfig":{"fileName":"`+empty+`"}}}`), "name").(string)
		c.settle()
		got = c.want(200, "GET", "/v1beta/"+name, "")
		if dig(got, "metadata", "state") != "BATCH_STATE_FAILED" ||
			!strings.Contains(fmt.Sprint(dig(got, "error", "message")), "no requests") {
			t.Errorf("of an empty file: %v", got)
		}
	})
}

// TestBatchOfLongFile stores the lines of a file in several transactions.
func TestBatchOfLongFile(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		file := c.upload(strings.Repeat(`{"key":"a"}`+"\n", 450))
		made := c.want(200, "POST", batchVerb, `{"batch":{"inputConfig":{"fileName":"`+file+`"}}}`)
		c.settle()
		got := c.want(200, "GET", "/v1beta/"+dig(made, "name").(string), "")
		if stats := dig(got, "metadata", "batchStats"); dig(stats, "requestCount") != "450" ||
			dig(stats, "failedRequestCount") != "450" || dig(stats, "pendingRequestCount") != nil {
			t.Errorf("ended: %v", got)
		}
	})
}

// TestBatchOfEmbeddings makes vectors later.
func TestBatchOfEmbeddings(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		made := c.want(200, "POST", "/v1beta/models/stoa-script-embedding:asyncBatchEmbedContent", inlined(
			`{"request":{"content":{"parts":[{"text":"a"}]},"output_dimensionality":8}}`))
		c.settle()
		got := c.want(200, "GET", "/v1beta/"+dig(made, "name").(string), "")
		first := dig(got, "response", "inlinedResponses", "inlinedResponses", 0)
		values, _ := dig(first, "response", "embedding", "values").([]any)
		if len(values) != 8 {
			t.Errorf("vectors: %v", got)
		}
		c.want(404, "POST", "/v1beta/models/stoa-script:asyncBatchEmbedContent", inlined(`{"request":{}}`))
	})
}

// TestBatchEndings cancels, deletes and outlives batches, and keeps them from other users.
func TestBatchEndings(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		submit := func() string {
			made := c.want(200, "POST", batchVerb, inlined(`{"request":`+asked("Hello")+`}`))
			return "/v1beta/" + dig(made, "name").(string)
		}
		cancelled, deleted, late := submit(), submit(), submit()
		other := newClient(t, c.h, "bob")
		for _, method := range []string{"GET", "DELETE"} {
			other.want(404, method, cancelled, "")
		}
		other.want(404, "POST", cancelled+":cancel", "")
		c.want(200, "POST", cancelled+":cancel", "{}")
		c.want(200, "DELETE", deleted, "")
		c.h.Clock.Advance(48 * time.Hour)
		if got := c.want(200, "GET", late, ""); dig(got, "metadata", "state") != "BATCH_STATE_EXPIRED" {
			t.Errorf("after 48 hours: %v", got)
		}
		c.want(400, "POST", late+":cancel", "")
		c.settle()
		if got := c.want(200, "GET", cancelled, ""); dig(got, "metadata", "state") != "BATCH_STATE_CANCELLED" ||
			dig(got, "error", "code") != 1.0 {
			t.Errorf("cancelled: %v", got)
		}
		if got := c.want(200, "GET", late, ""); dig(got, "metadata", "state") != "BATCH_STATE_EXPIRED" {
			t.Errorf("after the job: %v", got)
		}
	})
}

// TestBatchOfRevokedKey: a key that is revoked stops spending, also what it asked for before; one that ran out was good
// when its batch was accepted.
func TestBatchOfRevokedKey(t *testing.T) {
	t.Parallel()
	config := generate.DefaultConfig()
	config.RequestsPerMinute = 1
	on(t, config, func(t *testing.T, c client) {
		submit := func(c client) string {
			made := c.want(200, "POST", batchVerb,
				inlined(`{"request":`+asked("repeat: one")+`}`, `{"request":`+asked("repeat: two")+`}`))
			return "/v1beta/" + dig(made, "name").(string)
		}
		user := c.h.User("ada").ID
		stolen, err := c.h.Identity.KeysOf(t.Context(), user)
		if err != nil || len(stolen) != 1 {
			t.Fatalf("keys %v, %v", stolen, err)
		}
		begun := submit(c)
		c.settle()
		waiting := submit(c)
		if err := c.h.Identity.RevokeToken(t.Context(), stolen[0].ID); err != nil {
			t.Fatal(err)
		}
		again := client{t, c.h, c.h.Key("ada", identity.KindAPI, 1)}
		late := submit(again)
		for range 5 {
			c.h.Clock.Advance(time.Minute)
			c.settle()
		}
		for name, answered := range map[string]any{begun: "1", waiting: nil} {
			got := again.want(200, "GET", name, "")
			why, _ := dig(got, "error", "message").(string)
			if dig(got, "metadata", "state") != "BATCH_STATE_CANCELLED" || !strings.Contains(why, "revoked") ||
				dig(got, "metadata", "batchStats", "successfulRequestCount") != answered ||
				dig(got, "metadata", "batchStats", "failedRequestCount") != nil {
				t.Errorf("%s: %v", name, got)
			}
		}
		if got := again.want(200, "GET", late, ""); dig(got, "metadata", "state") != "BATCH_STATE_SUCCEEDED" {
			t.Errorf("of the other key: %v", got)
		}
		outlived := submit(again)
		c.h.Clock.Advance(25 * time.Hour)
		c.settle()
		c.h.Clock.Advance(time.Minute)
		c.settle()
		last := client{t, c.h, c.h.Key("ada", identity.KindAPI, 0)}
		if got := last.want(200, "GET", outlived, ""); dig(got, "metadata", "state") != "BATCH_STATE_SUCCEEDED" {
			t.Errorf("of a key that ran out: %v", got)
		}
	})
}

// TestManyBatches answers as many batches as one caller may have, each request once.
func TestManyBatches(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		const most = 100
		var names []string
		for range most {
			made := c.want(200, "POST", batchVerb, inlined(`{"request":`+asked("repeat: one")+`}`))
			names = append(names, dig(made, "name").(string))
		}
		c.want(429, "POST", batchVerb, inlined(`{"request":`+asked("repeat: one")+`}`))
		c.settle()
		for _, name := range names {
			if got := dig(c.want(200, "GET", "/v1beta/"+name, ""), "metadata", "state"); got != "BATCH_STATE_SUCCEEDED" {
				t.Fatalf("%s is %v, want it answered at the first attempt", name, got)
			}
		}
	})
}

// TestBatchRefusals are batches of which the caller is told at once what is wrong.
func TestBatchRefusals(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		for body, why := range map[string]string{
			inlined():                              "1 to 10000",
			inlined(`{"request":{"unheardOf":1}}`): "requests[0].request",
			inlined(`{"unheardOf":1}`):             "unheardOf",
			`{"batch":{}}`:                         "either fileName or requests",
			`{"batch":{"inputConfig":{"fileName":"files/x","requests":{"requests":[]}}}}`:                 "either",
			`{"batch":{"priority":"3","inputConfig":{"fileName":"files/x"}}}`:                             "priority",
			`{"batch":{"webhookConfig":{"uris":[]},"inputConfig":{"fileName":"files/x"}}}`:                "webhookConfig",
			`{"batch":{"model":"models/other","inputConfig":{"fileName":"files/x"}}}`:                     "other",
			`{"batch":{"displayName":"` + strings.Repeat("x", 129) + `","inputConfig":{"fileName":"x"}}}`: "128",
		} {
			got := c.want(400, "POST", batchVerb, body)
			if m, _ := dig(got, "error", "message").(string); !strings.Contains(m, why) {
				t.Errorf("%s: %q, want %q", body, m, why)
			}
		}
		c.want(403, "POST", batchVerb, `{"batch":{"inputConfig":{"fileName":"files/none"}}}`)
	})
}

// TestBatchBeyondStorage: the answers of a batch are their owner's storage; beyond it requests fail, each for itself.
func TestBatchBeyondStorage(t *testing.T) {
	t.Parallel()
	config := generate.DefaultConfig()
	config.MaxStorageBytes = 20_000
	on(t, config, func(t *testing.T, c client) {
		const all = 20
		requests := strings.TrimSuffix(strings.Repeat(`{"request":{"content":{"parts":[{"text":"embed"}]}}},`, all), ",")
		made := c.want(200, "POST", "/v1beta/models/stoa-script-embedding:asyncBatchEmbedContent", inlined(requests))
		c.settle()
		w := c.call("GET", "/v1beta/"+dig(made, "name").(string), "")
		var got map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		stats := dig(got, "metadata", "batchStats")
		if dig(got, "metadata", "state") != "BATCH_STATE_SUCCEEDED" || dig(stats, "pendingRequestCount") != nil ||
			dig(stats, "failedRequestCount") == nil || dig(stats, "successfulRequestCount") == nil {
			t.Errorf("ended: %v", dig(got, "metadata"))
		}
		// The answers come twice in an answer, with names around them.
		if w.Body.Len() > 3*20_000 {
			t.Errorf("%d bytes of answers are kept, where 20000 may be", w.Body.Len()/2)
		}
		if !strings.Contains(w.Body.String(), "would take more than 20000 bytes") {
			t.Errorf("no request says why it failed: %.2000s", w.Body)
		}
	})
}

// TestResultsTakeThePlaceOfAnswers: answers that there is storage for need none twice to become the file of the
// results, nor a place among the files of their user, all of which may be taken by then.
func TestResultsTakeThePlaceOfAnswers(t *testing.T) {
	t.Parallel()
	config := generate.DefaultConfig()
	config.MaxStorageBytes, config.MaxFiles = 20_000, 2
	on(t, config, func(t *testing.T, c client) {
		run := func(requests int) (size int) {
			t.Helper()
			line := `{"key":"a","request":{"content":{"parts":[{"text":"embed"}]}}}` + "\n"
			file := c.upload(strings.Repeat(line, requests))
			made := c.want(200, "POST", "/v1beta/models/stoa-script-embedding:asyncBatchEmbedContent",
				`{"batch":{"inputConfig":{"fileName":"`+file+`"}}}`)
			c.settle()
			name := dig(made, "name").(string)
			got := c.want(200, "GET", "/v1beta/"+name, "")
			results, _ := dig(got, "response", "responsesFile").(string)
			if dig(got, "metadata", "state") != "BATCH_STATE_SUCCEEDED" || results == "" {
				t.Fatalf("%d requests ended: %v", requests, got)
			}
			size = c.call("GET", "/v1beta/"+results+":download?alt=media", "").Body.Len()
			for _, made := range []string{file, results, name} {
				c.want(200, "DELETE", "/v1beta/"+made, "")
			}
			return size
		}
		each := run(1)
		run(15_000 / each)
	})
}

// TestBatchSurvivesItsStore: a batch goes on when its store has been away for hours.
func TestBatchSurvivesItsStore(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		name := dig(c.want(200, "POST", batchVerb, inlined(`{"request":`+asked("repeat: one")+`}`)), "name").(string)
		rename := func(from, to string) {
			t.Helper()
			err := c.h.World.DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
				_, err := tx.Exec(ctx, "ALTER TABLE "+from+" RENAME TO "+to)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		rename("generate_batch_items", "generate_batch_items_away")
		for range 12 {
			c.settle()
			c.h.Clock.Advance(time.Hour)
		}
		rename("generate_batch_items_away", "generate_batch_items")
		c.settle()
		got := c.want(200, "GET", "/v1beta/"+name, "")
		if dig(got, "metadata", "state") != "BATCH_STATE_SUCCEEDED" ||
			dig(got, "metadata", "batchStats", "successfulRequestCount") != "1" {
			t.Errorf("after the store was away: %v", got)
		}
	})
}

// readFunc is a function as a reader.
type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// TestResultsWrittenTwice: of two runs of a job that write the same results, the one that comes too late takes nothing
// from the other, also where there is no storage for it.
func TestResultsWrittenTwice(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		f := files.New(c.h.World, nil, files.Config{MaxStorageBytes: 10, MaxFiles: 10, Lifetime: time.Hour}, nil)
		const text = "12345678"
		first := true
		_, err := f.Generate(t.Context(), 1, "results", 0, readFunc(func(p []byte) (int, error) {
			if !first {
				return 0, io.EOF
			}
			first = false
			if _, err := f.Generate(t.Context(), 1, "results", 0, strings.NewReader(text)); err != nil {
				t.Errorf("the run that is in time: %v", err)
			}
			return copy(p, text), nil
		}))
		if err == nil {
			t.Error("the second run found storage for the same file again")
		}
		made, err := f.Get(t.Context(), 1, "results")
		if err != nil {
			t.Fatal(err)
		}
		content, err := f.Open(t.Context(), made)
		if err != nil {
			t.Fatalf("the bytes of the first run: %v", err)
		}
		got, err := io.ReadAll(content)
		if err := errors.Join(err, content.Close()); err != nil || string(got) != text {
			t.Errorf("got %q, %v, want %q", got, err, text)
		}
	})
}

// TestResultsMeetAFile: the file of a batch's results takes no name that its owner has given, and making it again when
// there is no storage left keeps what is there.
func TestResultsMeetAFile(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		lines := `{"key":"a","request":` + asked("repeat: one") + "}\n"
		made := c.want(200, "POST", batchVerb, `{"batch":{"inputConfig":{"fileName":"`+c.upload(lines)+`"}}}`)
		name := strings.TrimPrefix(dig(made, "name").(string), "batches/")
		w := c.call("POST", "/upload/v1beta/files", `{"file":{"name":"files/batch`+name+`"}}`,
			"X-Vendor-Upload-Protocol: resumable", "X-Vendor-Upload-Command: start")
		if w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		u, err := url.Parse(w.Header().Get("X-Vendor-Upload-Url"))
		if err != nil {
			t.Fatal(err)
		}
		session{c, u.RequestURI()}.send(200, "final", "upload, finalize", 0, "mine")
		c.settle()
		got := c.want(200, "GET", "/v1beta/batches/"+name, "")
		if dig(got, "metadata", "state") != "BATCH_STATE_FAILED" ||
			!strings.Contains(fmt.Sprint(dig(got, "error", "message")), "batch"+name) {
			t.Errorf("ended: %v", got)
		}
		if f := c.want(200, "GET", "/v1beta/files/batch"+name, ""); dig(f, "sizeBytes") != "4" {
			t.Errorf("the file: %v", f)
		}
	})
}
