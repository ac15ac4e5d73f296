package sentence

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/service/generate/api"
)

const vocabulary = `{"model":{"type":"WordPiece","vocab":{"[UNK]":1,"[CLS]":2,"[SEP]":3,"play":4,"##ing":5,"cafe":6,` +
	`"!":7,"日":8,"##s":9}}}`

func TestWordPieces(t *testing.T) {
	t.Parallel()
	w, err := newWordPieces([]byte(vocabulary))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]int{
		"Playing":                  {2, 4, 5, 3},
		"PLAYS!":                   {2, 4, 9, 7, 3},
		"Café":                     {2, 6, 3},
		"日日":                       {2, 8, 8, 3},
		"xyz":                      {2, 1, 3},
		"":                         {2, 3},
		strings.Repeat("play", 90): {2, 1, 3},
	} {
		if got := w.tokens(text, 512); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
	if got := w.tokens(strings.Repeat("play ", 100), 5); !slices.Equal(got, []int{2, 4, 4, 4, 3}) {
		t.Errorf("a long text: %v", got)
	}
	for _, bad := range []string{`{`, `{}`, `{"model":{"type":"BPE","vocab":{"[UNK]":1,"[CLS]":2,"[SEP]":3}}}`} {
		if _, err := newWordPieces([]byte(bad)); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}

// FuzzWordPieces cuts any text into a bounded number of tokens.
func FuzzWordPieces(f *testing.F) {
	w, err := newWordPieces([]byte(vocabulary))
	if err != nil {
		f.Fatal(err)
	}
	fuzztest.Bytes(f, []byte("Playing, cafés 日本!"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if n := len(w.tokens(string(b), 16)); n < 2 || n > 16 {
			t.Errorf("%d tokens", n)
		}
	})
}

// TestMissingFiles says why nothing can be embedded, and tries again the next time.
func TestMissingFiles(t *testing.T) {
	t.Parallel()
	tries := 0
	b := New(func() (string, string, error) { tries++; return "", "", errors.New("the model is not here") }, Mean)
	defer b.Close()
	for range 2 {
		_, err := b.Embed(context.Background(), budget.Caller("ada"), api.Model{}, []string{"x"})
		var own *api.Error
		if !errors.As(err, &own) || own.Code != api.CodeUnavailable || !strings.Contains(own.Message, "not here") {
			t.Errorf("error: %v", err)
		}
	}
	if tries != 2 {
		t.Errorf("%d tries, want 2", tries)
	}
}
