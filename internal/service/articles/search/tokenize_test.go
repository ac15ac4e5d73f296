package search

import (
	"slices"
	"strings"
	"testing"
)

func TestTokenize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":             nil,
		"!!!":          nil,
		"Go言語 2.0":     {"go", "言語", "語", "2", "0"},
		"C++ c# +x _y": {"c++", "c#", "x", "_y"},
		"ｱﾌﾟﾘ Ｇｏ":      {"アプ", "プリ", "リ", "go"},
		// The compatible form of a small character may be capitals.
		"50㎐ ℡ ㏇":                {"50hz", "tel", "co"},
		"Naïve CAFÉ":             {"naïve", "café"},
		strings.Repeat("a", 100): {strings.Repeat("a", maxWord)},
	} {
		if got := tokenize(text); !slices.Equal(got, want) {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
	if got := tokenize(strings.Repeat("a ", 2*maxIndexed)); len(got) != maxIndexed {
		t.Errorf("%d words, want %d", len(got), maxIndexed)
	}
}

func TestTokenizeQuery(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		words []string
		open  bool
	}{
		"go": {[]string{"go"}, false}, "京都": {[]string{"京都"}, false}, "都": {[]string{"都"}, true},
		"Go言語": {[]string{"go", "言語"}, false}, "!": {nil, false}, "a 都": {[]string{"a", "都"}, true},
	} {
		if got, open := tokenizeQuery(text); !slices.Equal(got, want.words) || open != want.open {
			t.Errorf("%q gives %q, %t, want %q, %t", text, got, open, want.words, want.open)
		}
	}
}
