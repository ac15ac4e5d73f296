package generate

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/fuzztest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx, now, s := t.Context(), time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), store{}
		f := File{ID: "a", UserID: 1, DisplayName: "é", MimeType: "text/plain", Size: 3, SHA256: "00", State: FileProcessing, Blob: "b", CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(time.Hour)}
		u := Upload{Digest: "d", UserID: 1, FileID: "a", Length: 3, Blob: "x", State: UploadActive, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}
		c := Cache{ID: "c", UserID: 1, Model: "models/m", Size: 4, Tokens: []ModalityCount{{"TEXT", 1}}, CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(time.Hour)}
		first, second := false, false
		err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
			for _, step := range []func() error{
				func() error { return s.insertUpload(ctx, tx, u) },
				func() error { first, err = s.endUpload(ctx, tx, "d", UploadFinal, f.ExpiresAt); return err },
				func() error { second, err = s.endUpload(ctx, tx, "d", UploadCancelled, f.ExpiresAt); return err },
				func() error { return s.insertFile(ctx, tx, f) },
				func() error { return s.insertCache(ctx, tx, c, []byte(`{"contents":[{"role":"user"}]}`)) },
				func() error {
					return s.insertLog(ctx, tx, LogEntry{UserID: 1, Request: []byte(`{}`), Response: []byte(`{}`), CreatedAt: now, ExpiresAt: now.Add(time.Hour)})
				},
			} {
				if err := step(); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || !first || second {
			t.Fatalf("write: %v; ended %v, then %v", err, first, second)
		}
		if got, err := s.file(ctx, db, 1, "a", now); err != nil || !cmp.Equal(got, f) {
			t.Errorf("file: %v %s", err, cmp.Diff(f, got))
		}
		if got, err := s.cache(ctx, db, 1, "c", now); err != nil || !cmp.Equal(got, c) {
			t.Errorf("cache: %v %s", err, cmp.Diff(c, got))
		}
		if got, err := s.cachePrefix(ctx, db, "c"); err != nil || !cmp.Equal(got, CachePrefix{Contents: []Content{{Role: RoleUser}}}) {
			t.Errorf("prefix: %v, %v", got, err)
		}
		var refused *Error
		renew := func(c Cache) error {
			return db.Write(ctx, func(ctx context.Context, tx *database.Tx) error { return s.renewCache(ctx, tx, c) })
		}
		if err := renew(c); err != nil {
			t.Errorf("renew: %v", err)
		}
		if err := renew(Cache{ID: "deleted", UpdatedAt: now, ExpiresAt: now}); !errors.As(err, &refused) {
			t.Errorf("renew what is gone: %v, want a refusal", err)
		}
		if _, err := s.file(ctx, db, 2, "a", now); err == nil {
			t.Error("a stranger found the file")
		}
		if used, count, err := s.used(ctx, db, 1, now); err != nil || used != 3+4 || count != 2 {
			t.Errorf("used: %d bytes, %d, %v, want 7 and 2", used, count, err)
		}
		if list, err := s.logsOf(ctx, db, 1, 2, now, 10); err != nil || len(list) != 1 {
			t.Errorf("log: %v, %v", list, err)
		}
		var gone []File
		if err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
			gone, err = s.sweep(ctx, tx, now.Add(time.Hour))
			return err
		}); err != nil || len(gone) != 1 {
			t.Errorf("sweep: %v, %v", gone, err)
		}
		if list, err := s.logs(ctx, db, 2, now, 10); err != nil || len(list) != 0 {
			t.Errorf("log after the sweep: %v, %v", list, err)
		}
	}, migrationFiles())
}

// TestTokens holds the tokenizer to known counts and to its promise that
// tokens joined are the text.
func TestTokens(t *testing.T) {
	t.Parallel()
	tokens := newTokenizer()
	for s, want := range map[string]int{"": 0, "Hello": 1, "Hello, world!": 4, "The quick brown fox jumps over the lazy dog.": 10} {
		if got, err := tokens.count(t.Context(), s, math.MaxInt); err != nil || got != want {
			t.Errorf("count of %q: got %d, %v, want %d", s, got, err, want)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		s := rapid.String().Draw(r, "text")
		split, numbers, err := tokens.split(t.Context(), s)
		joined := ""
		for _, word := range split {
			joined += word
		}
		n, countErr := tokens.count(t.Context(), s, math.MaxInt)
		if err != nil || countErr != nil || joined != s || len(split) != n || len(numbers) != n {
			r.Fatalf("%q: split %q, %d numbers, count %d, %v, %v", s, split, len(numbers), n, err, countErr)
		}
	})
}

// TestPiecesChangeNoToken counts long texts as a whole and in pieces.
func TestPiecesChangeNoToken(t *testing.T) {
	t.Parallel()
	tokens := newTokenizer()
	for name, sentence := range map[string]string{
		"words": "The quick brown fox, it's said, jumps over 12345 lazy dogs!\n", "code": "  if (a != b) {\n\t\treturn a+1; }\n\n", "numbers": "1 22 333 4444 ",
		"other letters": "Ο γρήγορος σκύλος — «ναι» ", "lines": "one\ntwo\r\nthree!\n",
	} {
		s := strings.Repeat(sentence, 1000)
		_, words, err := tokens.load().Encode(s)
		if err != nil {
			t.Fatal(err)
		}
		got, err := tokens.count(t.Context(), s, math.MaxInt)
		split, _, splitErr := tokens.split(t.Context(), s)
		if err != nil || splitErr != nil || got != len(words) || len(split) != got {
			t.Errorf("%s: counted %d, split into %d, want %d (%v, %v)", name, got, len(split), len(words), err, splitErr)
		}
	}
}

// TestCountingEnds stops with its caller, and where it is enough.
func TestCountingEnds(t *testing.T) {
	t.Parallel()
	tokens := newTokenizer()
	long := strings.Repeat("word ", 10_000)
	if n, err := tokens.count(t.Context(), long, 100); err != nil || n <= 100 || n > 2000 {
		t.Errorf("counted %d of 10000, %v; want a little more than 100", n, err)
	}
	ctx, leave := context.WithCancel(t.Context())
	leave()
	if _, err := tokens.count(ctx, long, math.MaxInt); !errors.Is(err, context.Canceled) {
		t.Errorf("counting for nobody: %v, want context.Canceled", err)
	}
	for _, run := range []string{" ", "x", "\n", "漢"} {
		for piece := range pieces(strings.Repeat(run, 1000)) {
			if len(piece) > longestRun+len(run) {
				t.Errorf("a run of %q has a piece of %d bytes, want at most %d", run, len(piece), longestRun)
			}
		}
	}
}

func TestCamelNames(t *testing.T) {
	t.Parallel()
	brand := map[string]string{"fooSearch": "webSearch"}
	for in, want := range map[string]string{
		`{"inline_data": {"mime_type":"a_b","data":"x_y"}}`:                                       `{"inlineData":{"mimeType":"a_b","data":"x_y"}}`,
		`{"function_call":{"name":"f","args":{"snake_key":{"in_ner":1}}}}`:                        `{"functionCall":{"name":"f","args":{"snake_key":{"in_ner":1}}}}`,
		`{"function_response":{"name":"f","response":{"a_b":1}}}`:                                 `{"functionResponse":{"name":"f","response":{"a_b":1}}}`,
		`{"parameters":{"properties":{"user_name":{"min_length":"2"}},"required":["user_name"]}}`: `{"parameters":{"properties":{"user_name":{"minLength":"2"}},"required":["user_name"]}}`,
		`{"_responseJsonSchema":{"a_b":1}}`:                                                       `{"_responseJsonSchema":{"a_b":1}}`,
		`[{"foo_search":{}},{"fooSearch":{}}]`:                                                    `[{"webSearch":{}},{"webSearch":{}}]`,
		`{"text":"a_b \"c_d\": 1"}`:                                                               `{"text":"a_b \"c_d\": 1"}`,
	} {
		if got := string(camelNames([]byte(in), brand)); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// FuzzCamelNames proves that renaming neither breaks valid JSON nor panics.
func FuzzCamelNames(f *testing.F) {
	for _, seed := range []string{`{"a_b":[1,{"c_d":"\\\"_"}]}`, `"_"`, `{"properties":{"a_b":{}}}`, `[`, `{"a_b"`} {
		fuzztest.Bytes(f, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if json.Valid(b) && !json.Valid(camelNames(b, nil)) {
			t.Errorf("%s became %s", b, camelNames(b, nil))
		}
		camelNames(b, nil)
	})
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	if err := DefaultConfig().Validate(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	if err := (Config{Models: []ModelConfig{{ID: "x", Backend: "oracle"}}}).Validate(); err == nil {
		t.Error("a nonsense configuration passed")
	}
	text, err := os.ReadFile("builtin/script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if rules, err := readRules(text); err != nil || len(rules) < 5 {
		t.Errorf("built-in rules: %d, %v", len(rules), err)
	}
}

// FuzzShortest: whatever a pattern is, it is followed or passed over.
func FuzzShortest(f *testing.F) {
	fuzztest.Strings(f, "^[a-z]{3}$", "(a|b)*c+", "((a{30}){30}){30}", "a{1000}{1000}", "(?i)ß", "[^\\x00-\\x{10FFFF}]", "\\bx\\B", "((((((a*)*)*)*)*)*)*")
	f.Fuzz(func(t *testing.T, pattern string) {
		if text, ok := shortest(pattern); ok && len(text) > 4*maxExpanded {
			t.Errorf("%q gives %d bytes", pattern, len(text))
		}
	})
}

// FuzzMetadata: what is said about a file is read or refused.
func FuzzMetadata(f *testing.F) {
	fuzztest.Strings(f, "", "{}", `{"file":{"display_name":"a","sizeBytes":"3"}}`, `{"file":[]}`, strings.Repeat("[", 5000), `{"file":{"name":"`+strings.Repeat("a", 5000)+`"}}`)
	f.Fuzz(func(_ *testing.T, text string) {
		var meta fileMetadata
		_ = (&Service{}).readMetadata(strings.NewReader(text), &meta) // refusing is fine, a panic is not
	})
}

// FuzzEvents: no stream of an upstream ends the process.
func FuzzEvents(f *testing.F) {
	fuzztest.Strings(f, "data: {}\n\n", "data: [DONE]\n", "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", "data:"+strings.Repeat("[", 20000))
	f.Fuzz(func(_ *testing.T, text string) {
		l := &listener{prompt: &Prompt{}, emit: func(Piece) error { return nil }}
		_ = streamChat(strings.NewReader(text), l) // refusing is fine, a panic is not
		_ = wholeChat(strings.NewReader(text), &listener{prompt: &Prompt{}, emit: func(Piece) error { return nil }})
	})
}
