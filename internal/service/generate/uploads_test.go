package generate_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/service/generate"
)

// session drives one resumable upload.
type session struct {
	client
	path string
}

func (c client) start(length int, headers ...string) session {
	c.t.Helper()
	if length >= 0 {
		headers = append(headers, fmt.Sprintf("X-Goog-Upload-Header-Content-Length: %d", length))
	}
	w := c.call("POST", "/upload/v1beta/files", `{"file":{"displayName":"a"}}`, append(headers,
		"X-Goog-Upload-Protocol: resumable", "X-Goog-Upload-Command: start",
		"X-Goog-Upload-Header-Content-Type: text/plain")...)
	if w.Code != 200 || w.Header().Get("X-Vendor-Upload-Status") != "active" {
		c.t.Fatalf("start: %d %s %v", w.Code, w.Body, w.Header())
	}
	u, err := url.Parse(w.Header().Get("X-Vendor-Upload-Url"))
	if err != nil {
		c.t.Fatal(err)
	}
	return session{c, u.RequestURI()}
}

// send needs no key: the address is the secret.
func (s session) send(status int, state, command string, offset int, body string) *httptest.ResponseRecorder {
	s.t.Helper()
	w := s.h.Call("POST", s.path, body, "X-Vendor-Upload-Command: "+command,
		fmt.Sprintf("X-Vendor-Upload-Offset: %d", offset))
	if w.Code != status || w.Header().Get("X-Vendor-Upload-Status") != state {
		s.t.Fatalf("%s at %d: %d %s, status %q; want %d %q", command, offset, w.Code, w.Body,
			w.Header().Get("X-Vendor-Upload-Status"), status, state)
	}
	return w
}

func TestUploads(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		s := c.start(12)
		s.send(200, "active", "upload", 0, "hello ")
		s.send(409, "active", "upload", 0, "again ")
		s.send(409, "active", "upload", 9, "x")
		if w := s.send(200, "active", "query", 0, ""); w.Header().Get("X-Vendor-Upload-Size-Received") != "6" {
			t.Errorf("query: %v", w.Header())
		}
		s.send(400, "active", "finalize", 0, "")
		first := s.send(200, "final", "upload, finalize", 6, "world!").Body.String()
		if again := s.send(200, "final", "finalize", 0, "").Body.String(); again == "" || !strings.Contains(first, `"sizeBytes":"12"`) {
			t.Errorf("final twice: %s, %s", first, again)
		}
		s.send(200, "final", "query", 0, "")
		s.send(400, "final", "cancel", 0, "")
		s.send(400, "final", "upload", 12, "x")

		gone := c.start(-1)
		gone.send(200, "active", "upload", 0, "x")
		gone.send(200, "cancelled", "cancel", 0, "")
		gone.send(410, "cancelled", "query", 0, "")
		gone.send(410, "cancelled", "upload", 1, "x")

		long := c.start(3)
		long.send(400, "cancelled", "upload, finalize", 0, "four")
		c.start(5).send(400, "active", "dance", 0, "")
		other := newClient(t, c.h, "bob")
		if w := other.call("POST", c.start(5).path, "hello", "X-Vendor-Upload-Command: upload, finalize",
			"X-Vendor-Upload-Offset: 0"); w.Code != 404 {
			t.Errorf("another user's key: %d", w.Code)
		}
		if w := c.h.Call("POST", "/upload/v1beta/files?upload_id=unknown", "",
			"X-Vendor-Upload-Command: query"); w.Code != 404 {
			t.Errorf("an unknown session: %d", w.Code)
		}
	})
}

func TestFiles(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		body := "--b\r\nContent-Type: application/json\r\n\r\n" +
			"{\"file\":{\"name\":\"files/my-notes\",\"mime_type\":\"text/plain\"}}\r\n" +
			"--b\r\nContent-Type: text/plain\r\n\r\nThe sea is wine-dark.\r\n--b--\r\n"
		upload := func(body string) *httptest.ResponseRecorder {
			r := httptest.NewRequest("POST", "/upload/v1beta/files?key="+c.key, strings.NewReader(body))
			r.Header.Set("X-Goog-Upload-Protocol", "multipart")
			r.Header.Set("Content-Type", "multipart/related; boundary=b")
			return c.h.Do(r)
		}
		if w := upload(body); w.Code != 200 || !strings.Contains(w.Body.String(), `"name":"files/my-notes"`) || !strings.Contains(w.Body.String(), `"ACTIVE"`) {
			t.Fatalf("multipart: %d %s", w.Code, w.Body)
		}
		if w := upload(body); w.Code != 400 {
			t.Errorf("the same name twice: %d %s", w.Code, w.Body)
		}
		use := `{"contents":[{"parts":[{"fileData":{"fileUri":"files/my-notes"}}]}]}`
		if f := c.want(200, "GET", "/v1beta/files/my-notes", ""); f["state"] != "ACTIVE" {
			t.Errorf("file: %v", f)
		}
		c.want(200, "POST", script+"generateContent", use)
		c.want(400, "GET", "/v1beta/files/my-notes:download", "")
		newClient(t, c.h, "bob").want(403, "GET", "/v1beta/files/my-notes", "")
		newClient(t, c.h, "bob").want(403, "POST", script+"generateContent", use)

		c.start(0).send(200, "final", "finalize", 0, "")
		c.h.Clock.Advance(time.Second)
		c.start(2).send(200, "final", "upload, finalize", 0, "ab")
		if err := c.h.World.Jobs.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		page := c.want(200, "GET", "/v1beta/files?pageSize=2", "")
		rest := c.want(200, "GET", "/v1beta/files?pageSize=2&pageToken="+url.QueryEscape(page["nextPageToken"].(string)), "")
		if n := len(page["files"].([]any)); n != 2 || len(rest["files"].([]any)) != 1 || rest["nextPageToken"] != nil {
			t.Errorf("pages: %v, %v", page, rest)
		}
		failed := 0
		for _, f := range append(page["files"].([]any), rest["files"].([]any)...) {
			if dig(f, "state") == "FAILED" && dig(f, "error", "message") != nil {
				failed++
			}
		}
		if failed != 1 {
			t.Errorf("%d empty files failed, want 1", failed)
		}
		c.want(200, "DELETE", "/v1beta/files/my-notes", "")
		c.want(403, "GET", "/v1beta/files/my-notes", "")
		name := dig(page, "files", 0, "name").(string)
		c.h.Clock.Advance(48 * time.Hour)
		c.want(403, "GET", "/v1beta/"+name, "")
		if err := c.h.World.Jobs.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		left, err := c.h.World.Blobs.List(t.Context(), "generate/", "", 10)
		if err != nil || len(left) != 0 {
			t.Errorf("bytes after the expiry: %v, %v", left, err)
		}
	})
}

// TestUploadsGoOnElsewhere continues an upload in a service that has never
// heard of it, as after a restart, from where the broken connection left it.
func TestUploadsGoOnElsewhere(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		s := c.start(12)
		r := httptest.NewRequest("POST", s.path, io.MultiReader(strings.NewReader("hello "), broken{func() {}}))
		r.Header.Set("X-Vendor-Upload-Command", "upload, finalize")
		r.Header.Set("X-Vendor-Upload-Offset", "0")
		if w := c.h.Do(r); w.Code != 400 || w.Header().Get("X-Vendor-Upload-Status") != "active" {
			t.Fatalf("the broken request: %d %s", w.Code, w.Body)
		}
		handler := generate.New(c.h.World, c.h.Identity, generate.DefaultConfig(),
			func(string) string { return "" }).Module().Handler
		send := func(command, offset, body string) *httptest.ResponseRecorder {
			r := httptest.NewRequest("POST", s.path, strings.NewReader(body))
			r.Header.Set("X-Vendor-Upload-Command", command)
			r.Header.Set("X-Vendor-Upload-Offset", offset)
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			return w
		}
		asked := send("query", "", "")
		if got := asked.Header().Get("X-Vendor-Upload-Size-Received"); got != "6" {
			t.Fatalf("bytes kept: got %q, want 6", got)
		}
		w := send("upload, finalize", "6", "world!")
		sum := sha256.Sum256([]byte("hello world!"))
		want := base64.StdEncoding.EncodeToString([]byte(hex.EncodeToString(sum[:])))
		if w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("final: %d %s, want the hash %s", w.Code, w.Body, want)
		}
	})
}

// TestUploadsOfDisabledUsers: the address of a session is worth nothing once its user is
// disabled.
func TestUploadsOfDisabledUsers(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		s := c.start(5)
		if err := c.h.Identity.DisableUser(t.Context(), c.h.User("ada").ID, true); err != nil {
			t.Fatal(err)
		}
		if w := s.each("upload, finalize")[0]; w.Code < 400 || w.Code >= 500 {
			t.Errorf("%d %s, want a refusal", w.Code, w.Body)
		}
	})
}

// TestUploadsOfRevokedKeys: a session ends with the key that began it, with what it reserved, and so does an upload
// whose key is revoked while its bytes come. That a key runs out ends none.
func TestUploadsOfRevokedKeys(t *testing.T) {
	t.Parallel()
	config := generate.DefaultConfig()
	config.MaxStorageBytes = 100
	on(t, config, func(t *testing.T, c client) {
		owner := c.h.User("ada").ID
		revoke := func(key string) {
			t.Helper()
			if err := c.h.Identity.RevokeSecret(t.Context(), generate.Name, key); err != nil {
				t.Fatal(err)
			}
		}
		for _, command := range []string{"upload", "upload, finalize", "query", "cancel"} {
			s := c.start(5)
			revoke(c.key)
			c.key = c.h.Key("ada", identity.KindAPI, 1)
			s.send(410, "cancelled", command, 0, "hello")
			s.send(410, "cancelled", "query", 0, "")
			w := c.call("POST", s.path, "hello", "X-Vendor-Upload-Command: upload, finalize", "X-Vendor-Upload-Offset: 0")
			if w.Code != 410 {
				t.Errorf("with another key of the user's: %d %s, want 410", w.Code, w.Body)
			}
		}

		done := c.start(5)
		done.send(200, "final", "upload, finalize", 0, "hello")
		kept := c.start(60)
		kept.send(200, "active", "upload", 0, "some")
		revoke(c.key)
		done.send(410, "final", "finalize", 0, "")

		again := client{t, c.h, c.h.Key("ada", identity.KindAPI, 1)}
		full := again.call("POST", "/upload/v1beta/files", `{}`, "X-Goog-Upload-Protocol: resumable",
			"X-Goog-Upload-Command: start", "X-Goog-Upload-Header-Content-Length: 60")
		if full.Code != 429 {
			t.Errorf("before the sweep: %d %s, want 429", full.Code, full.Body)
		}
		c.h.Clock.Advance(2 * time.Hour)
		c.settle()
		long := again.start(60)

		during := httptest.NewRequest("POST", "/upload/v1beta/files?key="+again.key,
			io.MultiReader(strings.NewReader("hel"), last{func() { revoke(again.key) }}, strings.NewReader("lo")))
		during.ContentLength = 5
		during.Header.Set("X-Goog-Upload-Protocol", "raw")
		if w := c.h.Do(during); w.Code < 400 || w.Code >= 500 {
			t.Errorf("revoked while the bytes came: %d %s, want a refusal", w.Code, w.Body)
		}
		long.send(410, "cancelled", "query", 0, "")

		brief := client{t, c.h, c.h.Key("ada", identity.KindAPI, 1)}
		outlived := brief.start(5)
		c.h.Clock.Advance(25 * time.Hour)
		c.settle()
		outlived.send(200, "final", "upload, finalize", 0, "hello")
		if list, err := c.h.Identity.KeysOf(t.Context(), owner); err != nil || len(list) != 0 {
			t.Errorf("keys %v, %v; want that it ran out", list, err)
		}
	})
}

// TestConsoleBeginsUploadsAndBatches: what a page of the console began has no key that could be revoked, and goes on.
func TestConsoleBeginsUploadsAndBatches(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		call := func(method, target, body string, headers ...string) *httptest.ResponseRecorder {
			t.Helper()
			secret := c.h.Identity.SessionCredential(c.h.User("ada"), generate.Name)
			ctx := credential.With(t.Context(), credential.Credential{Style: "bearer", Value: secret, Second: secret})
			r := httptest.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
			for _, header := range headers {
				name, value, _ := strings.Cut(header, ": ")
				r.Header.Set(name, value)
			}
			w := c.h.Do(r)
			if w.Code != http.StatusOK {
				t.Fatalf("%s %s: %d %s", method, target, w.Code, w.Body)
			}
			return w
		}
		call("POST", "/upload/v1beta/files?uploadType=media", "hello", "Content-Type: text/plain")
		w := call("POST", "/upload/v1beta/files", `{}`, "X-Goog-Upload-Protocol: resumable", "X-Goog-Upload-Command: start")
		u, err := url.Parse(w.Header().Get("X-Vendor-Upload-Url"))
		if err != nil {
			t.Fatal(err)
		}
		w = call("POST", batchVerb, inlined(`{"request":`+asked("repeat: one")+`}`), "Content-Type: application/json")
		c.h.Clock.Advance(2 * time.Hour)
		c.settle()
		session{c, u.RequestURI()}.send(200, "final", "upload, finalize", 0, "hello")
		var made map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil {
			t.Fatal(err)
		}
		got := c.want(200, "GET", "/v1beta/"+dig(made, "name").(string), "")
		if dig(got, "metadata", "state") != "BATCH_STATE_SUCCEEDED" {
			t.Errorf("the batch: %v", got)
		}
	})
}

// last runs a function where a body goes on.
type last struct{ fn func() }

func (l last) Read([]byte) (int, error) { l.fn(); return 0, io.EOF }

// abandoned runs a request whose caller leaves: the handler may cut the
// connection, as net/http lets it.
func abandoned(fn func()) {
	defer func() {
		if v := recover(); v != nil && v != http.ErrAbortHandler {
			panic(v)
		}
	}()
	fn()
}

// broken is a connection that ends too early.
type broken struct{ leave func() }

func (b broken) Read([]byte) (int, error) {
	b.leave()
	return 0, io.ErrUnexpectedEOF
}

// each sends the same requests at once and gives the answers.
func (s session) each(commands ...string) []*httptest.ResponseRecorder {
	answers := make([]*httptest.ResponseRecorder, len(commands))
	var all sync.WaitGroup
	for i, command := range commands {
		all.Go(func() {
			answers[i] = s.h.Call("POST", s.path, "hello", "X-Vendor-Upload-Command: "+command, "X-Vendor-Upload-Offset: 0")
		})
	}
	all.Wait()
	return answers
}

// TestUploadsEndOnce lets requests that end a session race: all of them agree.
func TestUploadsEndOnce(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		s := c.start(5)
		s.send(200, "active", "upload", 0, "hello")
		for i, w := range s.each("finalize", "finalize", "finalize", "finalize", "finalize", "finalize") {
			if w.Code != 200 || w.Header().Get("X-Vendor-Upload-Status") != "final" {
				t.Errorf("finalize %d of 6: %d %s, want 200 final", i, w.Code, w.Body)
			}
		}
		final := 0
		for i, w := range c.start(5).each("upload, finalize", "upload, finalize", "upload, finalize", "upload, finalize") {
			if w.Code != 200 && w.Code != 409 {
				t.Errorf("upload, finalize %d of 4: %d %s, want 200 or 409", i, w.Code, w.Body)
			}
			if w.Code == 200 {
				final++
			}
		}
		if final == 0 {
			t.Error("no request finished the upload")
		}
		for range 4 {
			s := c.start(5)
			s.send(200, "active", "upload", 0, "hello")
			race := s.each("cancel", "finalize")
			state := s.h.Call("POST", s.path, "", "X-Vendor-Upload-Command: query").Header().Get("X-Vendor-Upload-Status")
			if state == "cancelled" && (race[0].Code != 200 || race[1].Code != 410) ||
				state == "final" && (race[0].Code != 400 || race[1].Code != 200) {
				t.Errorf("the upload is %s; cancel said %d, finalize %d %s", state, race[0].Code, race[1].Code, race[1].Body)
			}
		}
	})
}

// TestCancelledUploadsAreBounded checks that a client which begins uploads and cancels them leaves a bounded number of
// rows, and that the last of them still says what became of it.
func TestCancelledUploadsAreBounded(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		final := c.start(1)
		final.send(200, "final", "upload, finalize", 0, "x")
		open := c.start(1)
		for range 110 {
			c.h.Clock.Advance(time.Second)
			last := c.start(1)
			last.send(200, "cancelled", "cancel", 0, "")
			last.send(410, "cancelled", "query", 0, "")
		}
		var rows int64
		if err := c.h.World.DB.QueryRow(t.Context(), `SELECT COUNT(*) FROM generate_uploads`).Scan(&rows); err != nil {
			t.Fatal(err)
		}
		if rows != 102 {
			t.Errorf("%d upload sessions are kept, want the 100 that were cancelled last and two others", rows)
		}
		final.send(200, "final", "query", 0, "")
		open.send(200, "active", "query", 0, "")
	})
}

// TestSweepGoesOn checks that all that has expired is deleted, however many batches of rows that takes.
func TestSweepGoesOn(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		long, rows := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), int64(0)
		err := c.h.World.DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) (err error) {
			insert := func(text string, args ...any) {
				if err == nil {
					_, err = tx.Exec(ctx, text, args...)
				}
			}
			for i := range 450 {
				name := fmt.Sprint("n", i)
				insert(`INSERT INTO generate_files (id, user_id, display_name, mime_type, size, sha256, state, blob, tokens, error,
					generated, created_at, updated_at, expires_at)
					VALUES ($1, 1, '', '', 1, '', 'ACTIVE', $1, 1, '', $3, $2, $2, $2)`, name, database.Time(long), false)
				insert(`INSERT INTO generate_uploads (digest, user_id, key_id, file_id, display_name, mime_type, length, received,
					blob, state, created_at, expires_at) VALUES ($1, 1, 0, $1, '', '', 1, 1, '', 'final', $2, $2)`,
					name, database.Time(long))
				insert(`INSERT INTO generate_caches (id, user_id, model, display_name, prefix, size, tokens, created_at,
					updated_at, expires_at) VALUES ($1, 1, '', '', '', 1, '', $2, $2, $2)`, name, database.Time(long))
				insert(`INSERT INTO generate_log (user_id, key_id, model, asked, said, request, response, created_at, expires_at)
					VALUES (1, 1, '', '', '', '', '', $1, $1)`, database.Time(long))
				insert(`INSERT INTO generate_batch_items (batch_id, position, item_key, metadata, request, response, error)
					VALUES ('b', $1, '', '', '', '', '')`, i)
			}
			insert(`INSERT INTO generate_batches (id, user_id, key_id, method, model, display_name, state, input_file, output_file,
				error, size, requests, succeeded, failed, created_at, updated_at, expires_at) VALUES
				('b', 1, 1, 'generateContent', '', '', '', '', '', '', 1, 1, 1, 1, $1, $1, $1)`, database.Time(long))
			if err == nil {
				_, err = c.h.World.Jobs.Enqueue(ctx, tx, jobs.Enqueue{Kind: "generate.sweep"})
			}
			return err
		})
		if err == nil {
			err = c.h.World.Jobs.Settle(t.Context())
		}
		if err == nil {
			err = c.h.World.DB.QueryRow(t.Context(), `SELECT (SELECT COUNT(*) FROM generate_files)
				+ (SELECT COUNT(*) FROM generate_uploads) + (SELECT COUNT(*) FROM generate_caches)
				+ (SELECT COUNT(*) FROM generate_log) + (SELECT COUNT(*) FROM generate_batch_items)
				+ (SELECT COUNT(*) FROM generate_batches)`).Scan(&rows)
		}
		if err != nil || rows != 0 {
			t.Errorf("%d rows that expired are left, %v, want none", rows, err)
		}
	})
}

// TestUploadsSurviveHalfAFinalize stops where a killed process would: the bytes
// are committed, the row is not written.
func TestUploadsSurviveHalfAFinalize(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		s := c.start(5)
		s.send(200, "active", "upload", 0, "hello")
		var id string
		if err := c.h.World.DB.QueryRow(t.Context(), `SELECT blob FROM generate_uploads`).Scan(&id); err != nil {
			t.Fatal(err)
		}
		up, err := c.h.World.Blobs.Resume(t.Context(), id)
		if err == nil {
			_, err = up.Commit(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		if w := s.send(200, "active", "query", 0, ""); w.Header().Get("X-Vendor-Upload-Size-Received") != "5" {
			t.Errorf("query: got %v, want 5 bytes", w.Header())
		}
		s.send(409, "active", "upload", 0, "hello")
		if w := s.send(200, "final", "finalize", 0, ""); !strings.Contains(w.Body.String(), `"sizeBytes":"5"`) {
			t.Errorf("finalize: %s", w.Body)
		}
	})
}

// TestUploadsKeepWithinStorage counts what was announced, what has come of
// uploads of unknown length, and nothing of those that are over.
func TestUploadsKeepWithinStorage(t *testing.T) {
	t.Parallel()
	config := generate.DefaultConfig()
	config.MaxStorageBytes = 10
	on(t, config, func(t *testing.T, c client) {
		for range 2 {
			// The caller leaves in the middle.
			ctx, leave := context.WithCancel(t.Context())
			r := httptest.NewRequestWithContext(ctx, "POST", "/upload/v1beta/files?key="+c.key,
				io.MultiReader(strings.NewReader("four"), broken{leave}))
			r.ContentLength = 8
			r.Header.Set("X-Vendor-Upload-Protocol", "raw")
			r.Header.Set("Content-Type", "text/plain")
			abandoned(func() { c.h.Do(r) })
		}
		first, second := c.start(-1), c.start(-1)
		first.send(200, "active", "upload", 0, "eight---")
		second.send(400, "cancelled", "upload", 0, "three")
		third := c.start(-1)
		third.send(200, "active", "upload", 0, "2b")
		third.send(200, "final", "finalize", 0, "")
		if w := c.call("POST", "/upload/v1beta/files", "", "X-Vendor-Upload-Protocol: resumable",
			"X-Vendor-Upload-Command: start",
			"X-Vendor-Upload-Header-Content-Length: 1"); w.Code != 429 {
			t.Errorf("a start without storage: %d %s, want 429", w.Code, w.Body)
		}
		first.send(200, "cancelled", "cancel", 0, "")
		c.start(8).send(200, "final", "upload, finalize", 0, "eight---")
	})
}

// TestNamesAreFreeAgain uploads under one name again and again: the name is
// taken while there is a file or an open session, and no longer.
func TestNamesAreFreeAgain(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		named := func(status int) session {
			t.Helper()
			w := c.call("POST", "/upload/v1beta/files", `{"file":{"name":"files/daily"}}`, "X-Vendor-Upload-Protocol: resumable", "X-Vendor-Upload-Command: start")
			if w.Code != status {
				t.Fatalf("start: %d %s, want %d", w.Code, w.Body, status)
			}
			address, err := url.Parse(w.Header().Get("X-Vendor-Upload-Url"))
			if err != nil {
				t.Fatal(err)
			}
			return session{c, address.RequestURI()}
		}
		s := named(200)
		named(400)
		s.send(200, "cancelled", "cancel", 0, "")
		s = named(200)
		s.send(200, "final", "upload, finalize", 0, "monday")
		named(400)
		c.want(200, "DELETE", "/v1beta/files/daily", "")
		s = named(200)
		s.send(200, "final", "upload, finalize", 0, "tuesday")
		c.h.Clock.Advance(48 * time.Hour) // expired, not swept
		s = named(200)
		s.send(200, "final", "upload, finalize", 0, "thursday")
		if err := c.h.World.Jobs.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if f := c.want(200, "GET", "/v1beta/files/daily", ""); f["state"] != "ACTIVE" || f["sizeBytes"] != "8" {
			t.Errorf("file: got %v, want the 8 bytes of thursday, ACTIVE", f)
		}
		if left, err := c.h.World.Blobs.List(t.Context(), "generate/", "", 10); err != nil || len(left) != 1 {
			t.Errorf("bytes kept: %v, %v; want one object", left, err)
		}
	})
}

// TestHeadersOfUploads sends what JSON could not say.
func TestHeadersOfUploads(t *testing.T) {
	t.Parallel()
	on(t, generate.DefaultConfig(), func(t *testing.T, c client) {
		for header, status := range map[string]int{
			"X-Vendor-Upload-File-Name: na\xefve.txt":                                         400,
			"X-Vendor-Upload-File-Name: naïve.txt":                                            200,
			"X-Vendor-Upload-Header-Content-Type: text/plain; charset=\"\xff\"":               400,
			"X-Vendor-Upload-Header-Content-Type: text":                                       400,
			"X-Vendor-Upload-Header-Content-Type: text/plain; n=" + strings.Repeat("n", 2000): 200,
			"X-Vendor-Upload-Header-Content-Length: -1":                                       400,
			"X-Vendor-Upload-Header-Content-Length: 99999999999999999999":                     400,
			"X-Vendor-Upload-Header-Content-Length: " + fmt.Sprint(int64(2<<30)+1):            400,
			"X-Vendor-Upload-Header-Content-Type: text/plain; charset=utf-8; note=\"é\"":      200,
		} {
			w := c.call("POST", "/upload/v1beta/files", "", header, "X-Vendor-Upload-Protocol: resumable",
				"X-Vendor-Upload-Command: start")
			if w.Code != status {
				t.Errorf("%q: %d %s, want %d", header, w.Code, w.Body, status)
			}
		}
	})
}

// TestUploadsAtOnce: uploads of unknown length that come at the same time have one user's storage together.
func TestUploadsAtOnce(t *testing.T) {
	t.Parallel()
	config := generate.DefaultConfig()
	config.MaxStorageBytes = 10 << 20
	on(t, config, func(t *testing.T, c client) {
		begin := "--b\r\nContent-Type: application/json\r\n\r\n{}\r\n--b\r\n\r\n"
		upload := func(body io.Reader) *httptest.ResponseRecorder {
			r := httptest.NewRequest("POST", "/upload/v1beta/files?key="+c.key, body)
			r.Header.Set("X-Goog-Upload-Protocol", "multipart")
			r.Header.Set("Content-Type", "multipart/related; boundary=b")
			return c.h.Do(r)
		}
		body, end := io.Pipe()
		var first *httptest.ResponseRecorder
		done := make(chan struct{})
		go func() {
			defer close(done)
			first = upload(body)
			_ = body.Close()
		}()
		if _, err := io.WriteString(end, begin+strings.Repeat("x", 6<<20)); err != nil {
			t.Fatal(err)
		}
		if w := upload(strings.NewReader(begin + strings.Repeat("x", 6<<20) + "\r\n--b--\r\n")); w.Code != 400 {
			t.Errorf("6 MiB where 4 are left: %d %.200s, want 400", w.Code, w.Body)
		}
		if w := upload(strings.NewReader(begin + strings.Repeat("x", 2<<20) + "\r\n--b--\r\n")); w.Code != 200 {
			t.Errorf("2 MiB where 4 are left: %d %.200s, want 200", w.Code, w.Body)
		}
		if _, err := io.WriteString(end, "\r\n--b--\r\n"); err != nil {
			t.Fatal(err)
		}
		if <-done; first.Code != 200 {
			t.Errorf("the first upload: %d %.200s, want 200", first.Code, first.Body)
		}
		if w := upload(strings.NewReader(begin + strings.Repeat("x", 1<<20) + "\r\n--b--\r\n")); w.Code != 200 {
			t.Errorf("1 MiB where 2 are left: %d %.200s, want 200", w.Code, w.Body)
		}
	})
}

// TestNothingStaysReserved: what was reserved for more bytes than came is free again, also where the last chunk ended
// just where a reservation did.
func TestNothingStaysReserved(t *testing.T) {
	t.Parallel()
	config := generate.DefaultConfig()
	config.MaxStorageBytes = 10 << 20
	on(t, config, func(t *testing.T, c client) {
		const whole = 7 << 20 // one, two and four
		s := c.start(-1)
		s.send(200, "active", "upload", 0, strings.Repeat("x", whole))
		c.start(3<<20).send(200, "final", "upload, finalize", 0, strings.Repeat("x", 3<<20))
		s.send(200, "final", "finalize", 0, "")
	})
}

// TestUploadsInProgress: one user's bytes come in a bounded number of requests at once, and others' come meanwhile.
func TestUploadsInProgress(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(generate.DefaultConfig()))
	upload := func(c client, body io.Reader) int {
		r := httptest.NewRequest("POST", "/upload/v1beta/files?uploadType=media&key="+c.key, body)
		r.ContentLength = -1
		return c.h.Do(r).Code
	}
	ada, bob := newClient(t, h, "ada"), newClient(t, h, "bob")
	const places = 64
	var ends []*io.PipeWriter
	var group sync.WaitGroup
	for range places {
		body, end := io.Pipe()
		ends = append(ends, end)
		group.Go(func() { upload(ada, body) })
		if _, err := io.WriteString(end, "begun"); err != nil {
			t.Fatal(err)
		}
	}
	if got := upload(ada, strings.NewReader("one more")); got != http.StatusTooManyRequests {
		t.Errorf("one more: %d, want 429", got)
	}
	if got := upload(bob, strings.NewReader("another user's")); got != http.StatusOK {
		t.Errorf("another user's: %d, want 200", got)
	}
	for _, end := range ends {
		_ = end.Close()
	}
	group.Wait()
	if got := upload(ada, strings.NewReader("afterwards")); got != http.StatusOK {
		t.Errorf("afterwards: %d, want 200", got)
	}
}
