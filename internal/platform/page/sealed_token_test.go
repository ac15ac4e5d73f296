package page_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/page"
)

type cursor struct {
	After string
	N     int64
}

func sealer() *page.Sealer { return page.NewSealer([]byte("0123456789abcdef0123456789abcdef")) }

func TestTokens(t *testing.T) {
	t.Parallel()
	s := sealer()
	want := cursor{"row-17", 42}
	token := s.Seal(want, "ListTasks|ann|done=1")
	if token != s.Seal(want, "ListTasks|ann|done=1") {
		t.Error("the same cursor gives two tokens, want one")
	}
	if strings.ContainsAny(token, "+/=&?% ") {
		t.Errorf("the token %q needs escaping in a query", token)
	}
	var got cursor
	if err := s.Open(token, "ListTasks|ann|done=1", &got); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	for name, try := range map[string]func() error{
		"other binding": func() error { return s.Open(token, "ListTasks|bob|done=1", &got) },
		"empty binding": func() error { return s.Open(token, "", &got) },
		"other key": func() error {
			return page.NewSealer(bytes.Repeat([]byte("x"), 32)).Open(token, "ListTasks|ann|done=1", &got)
		},
		"empty":           func() error { return s.Open("", "ListTasks|ann|done=1", &got) },
		"not base64":      func() error { return s.Open("$$$", "ListTasks|ann|done=1", &got) },
		"padded":          func() error { return s.Open(token+"=", "ListTasks|ann|done=1", &got) },
		"line break":      func() error { return s.Open(token[:9]+"\n"+token[9:], "ListTasks|ann|done=1", &got) },
		"cut":             func() error { return s.Open(token[:len(token)-1], "ListTasks|ann|done=1", &got) },
		"huge":            func() error { return s.Open(strings.Repeat("A", 100000), "ListTasks|ann|done=1", &got) },
		"of another kind": func() error { return s.Open(s.Seal([]int{1}, "b"), "b", &got) },
	} {
		if err := try(); !errors.Is(err, page.ErrToken) {
			t.Errorf("%s: got %v, want ErrToken", name, err)
		}
	}
}

func TestTokenExpiry(t *testing.T) {
	t.Parallel()
	s := sealer()
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	token := s.SealUntil(cursor{N: 1}, "b", at)
	var got cursor
	if err := s.OpenAt(token, "b", at.Add(-time.Second), &got); err != nil {
		t.Errorf("a second before: got %v, want it open", err)
	}
	for _, late := range []time.Duration{0, time.Second, 24 * time.Hour} {
		if err := s.OpenAt(token, "b", at.Add(late), &got); !errors.Is(err, page.ErrTokenExpired) {
			t.Errorf("%v after: got %v, want ErrTokenExpired", late, err)
		}
	}
	if err := s.OpenAt(token, "c", at.Add(time.Hour), &got); !errors.Is(err, page.ErrToken) {
		t.Errorf("expired and of another request: got %v, want ErrToken", err)
	}
	if err := s.OpenAt(s.Seal(cursor{}, "b"), "b", at.AddDate(100, 0, 0), &got); err != nil {
		t.Errorf("without expiry: got %v", err)
	}
}

// No single changed character is accepted.
func TestTokenTampering(t *testing.T) {
	t.Parallel()
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	s := sealer()
	token := s.Seal(cursor{"x", 7}, "b")
	for i := range token {
		for _, c := range []byte(alphabet) {
			if token[i] == c {
				continue
			}
			changed := token[:i] + string(c) + token[i+1:]
			var got cursor
			if err := s.Open(changed, "b", &got); !errors.Is(err, page.ErrToken) {
				t.Fatalf("changed at %d to %q: got %v, want ErrToken", i, c, err)
			}
		}
	}
}

func TestTokenRoundTrip(t *testing.T) {
	t.Parallel()
	s := sealer()
	rapid.Check(t, func(t *rapid.T) {
		want := cursor{strings.ToValidUTF8(rapid.String().Draw(t, "after"), "?"), rapid.Int64().Draw(t, "n")}
		one, two := rapid.String().Draw(t, "one"), rapid.String().Draw(t, "two")
		var got cursor
		token := s.Seal(want, one)
		if err := s.Open(token, one, &got); err != nil || got != want {
			t.Fatalf("got %+v, %v, want %+v", got, err, want)
		}
		if err := s.Open(token, two, &got); (err == nil) != (one == two) {
			t.Fatalf("opened with %q though sealed with %q: %v", two, one, err)
		}
	})
}

func TestSealerMisuse(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]func(){
		"short key":  func() { page.NewSealer([]byte("short")) },
		"bad cursor": func() { sealer().Seal(func() {}, "b") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: accepted, want a panic", name)
				}
			}()
			f()
		}()
	}
}

// FuzzToken: nothing that was not sealed opens, and nothing panics.
func FuzzToken(f *testing.F) {
	s := sealer()
	good := s.Seal(cursor{"a", 1}, "b")
	fuzztest.Add(f, good, "b")
	fuzztest.Add(f, good, "c")
	fuzztest.Add(f, "", "")
	fuzztest.Add(f, "AQ", "b")
	f.Fuzz(func(t *testing.T, token, binding string) {
		var got cursor
		err := s.Open(token, binding, &got)
		if err == nil && (token != good || binding != "b") {
			t.Errorf("%q opened with %q", token, binding)
		}
	})
}
