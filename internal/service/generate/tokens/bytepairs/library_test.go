package bytepairs_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/service/generate/tokens/bytepairs"
)

func vocabulary(tb testing.TB) *bytepairs.Vocabulary {
	tb.Helper()
	words, err := bytepairs.Words()
	if err != nil || len(words) != 100_256 {
		tb.Fatalf("%d words, %v, want 100256", len(words), err)
	}
	return bytepairs.New(words)
}

// sameAs compares the split of a text with the library's.
// The library loses U+007F, which has a word, and cuts a run of blanks between the ends of
// two lines, unlike the pattern; those texts have a test of their own.
func sameAs(tb interface{ Errorf(string, ...any) }, library *codec.Codec, v *bytepairs.Vocabulary, text string) {
	if strings.Contains(text, "\x7f") || regexp.MustCompile(`[\r\n][\s\p{Z}\x{85}]*[^\S\r\n]`).MatchString(text) {
		return
	}
	wantNumbers, wantWords, err := library.Encode(text)
	numbers, words := v.Encode(text)
	if err != nil || !slices.Equal(numbers, wantNumbers) || !slices.Equal(words, wantWords) {
		tb.Errorf("%q: got %q, want %q (%v)", text, words, wantWords, err)
	}
}

// TestEveryKindOfCharacter splits characters alone and among others as the library does.
func TestEveryKindOfCharacter(t *testing.T) {
	t.Parallel()
	library, v := codec.NewCl100kBase(), vocabulary(t)
	bad := 0
	for r := rune(0); r <= utf8.MaxRune && bad < 20; r++ {
		// Further on, blocks of one kind are long.
		if !utf8.ValidRune(r) || r == 0x7f || r >= 0x3100 && r%97 != 0 {
			continue
		}
		c := string(r)
		text := c + "a" + c + c + "1 " + c + "\n" + c + ".\n '" + c + " " + c
		_, want, err := library.Encode(text)
		if _, words := v.Encode(text); err != nil || !slices.Equal(words, want) {
			bad++
			t.Errorf("%U: got %q, want %q (%v)", r, words, want, err)
		}
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	library, v := codec.NewCl100kBase(), vocabulary(t)
	for _, text := range []string{
		"", "it's I'LL we'Re 'x''", "1234567 12", "a  b   \n\n  c \r\n\t", "   ", " \n ", "x \u00a0\u2003y", "--->!!\r\n\n.",
		"<|endoftext|>", "Ο γρήγορος — «ναι» 漢字かな", "e\u0301\U0001f600\u202e", strings.Repeat("antidisestablishment", 5),
		"if (a != b) {\n\t\treturn a+1; }\n\n", "'ſ 'ſt", "\x00\x1c\x1f\x85\u0085",
	} {
		if utf8.ValidString(text) {
			sameAs(t, library, v, text)
		}
	}
	rapid.Check(t, func(r *rapid.T) { sameAs(r, library, v, rapid.String().Draw(r, "text")) })
	blank := rapid.StringOfN(rapid.RuneFrom([]rune(" \t\r\n\u00a0'sSlLdaZ1९.,-!")), 0, 60, -1)
	rapid.Check(t, func(r *rapid.T) { sameAs(r, library, v, blank.Draw(r, "blanks")) })
}

// TestNothingIsLost joins the words of each text to the text.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	v := vocabulary(t)
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.String().Draw(r, "text")
		numbers, words := v.Encode(text)
		if joined, err := v.Decode(numbers); err != nil || joined != text || strings.Join(words, "") != text {
			r.Errorf("%q: words %q, numbers say %q, %v", text, words, joined, err)
		}
	})
	for text, want := range map[string][]string{
		"\x7f": {"\x7f"}, "a\n \n": {"a", "\n \n"}, "\n\n  x": {"\n\n", " ", " x"}, "a\t \n b": {"a", "\t \n", " b"},
	} {
		if _, words := v.Encode(text); !slices.Equal(words, want) {
			t.Errorf("%q: words %q, want %q", text, words, want)
		}
	}
}

// TestPacked reads what was packed, and refuses what is damaged.
func TestPacked(t *testing.T) {
	t.Parallel()
	want := []string{"a", "", "\xff\x00", strings.Repeat("x", 300)}
	var file strings.Builder
	if err := bytepairs.Pack(&file, want); err != nil {
		t.Fatal(err)
	}
	if got, err := bytepairs.Unpack(strings.NewReader(file.String())); err != nil || !slices.Equal(got, want) {
		t.Errorf("unpacked %q, %v", got, err)
	}
	for _, damaged := range []string{"", "x", file.String()[:file.Len()-12]} {
		if _, err := bytepairs.Unpack(strings.NewReader(damaged)); err == nil {
			t.Errorf("%d bytes were accepted", len(damaged))
		}
	}
	var long strings.Builder
	if err := bytepairs.Pack(&long, []string{strings.Repeat("x", 2000)}); err != nil {
		t.Fatal(err)
	}
	if _, err := bytepairs.Unpack(strings.NewReader(long.String())); err == nil {
		t.Error("a word that is too long was accepted")
	}
	if _, err := bytepairs.New(want).Decode([]uint{4}); err == nil {
		t.Error("a number without a word was accepted")
	}
}
