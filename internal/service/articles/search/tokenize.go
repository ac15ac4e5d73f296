package search

import (
	"iter"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// What the text index keeps of one item, the same on both engines.
const (
	maxIndexed      = 16_000
	maxIndexedBytes = 256 << 10
	maxWord         = 64
)

// tokenize cuts text into what is searched for: whole words in lower case, and
// pairs of neighbouring characters where a script puts no blanks between words.
// A run of such characters ends with its last character alone, so that every
// character of it begins a word.
//
//	"Go言語 2.0" gives go, 言語, 語, 2, 0
func tokenize(text string) []string {
	c := tokenizer{}
	for r := range normalized(text) {
		switch {
		case unsegmented(r):
			c.endWord()
			c.run = append(c.run, r)
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r), r == '_',
			(r == '+' || r == '#') && len(c.word) > 0:
			c.endRun()
			c.word = append(c.word, r)
		default:
			c.endWord()
			c.endRun()
		}
		if len(c.out) >= maxIndexed || c.bytes >= maxIndexedBytes {
			return c.out
		}
	}
	c.endWord()
	c.endRun()
	return c.out
}

// normalized is a text in lower case and compatible form, character by character:
// one character may stand for eighteen, so the whole is never made.
func normalized(text string) iter.Seq[rune] {
	return func(yield func(rune) bool) {
		var form norm.Iter
		form.InitString(norm.NFKC, strings.ToLower(text))
		for !form.Done() {
			for _, r := range string(form.Next()) {
				if !yield(unicode.ToLower(r)) { // the form of ㎐ is Hz
					return
				}
			}
		}
	}
}

// tokenizer is what tokenize has read of a text.
type tokenizer struct {
	out       []string
	bytes     int
	word, run []rune
}

func (c *tokenizer) emit(word []rune) {
	text := string(word)
	c.out = append(c.out, text)
	c.bytes += len(text)
}

func (c *tokenizer) endWord() {
	if len(c.word) == 0 {
		return
	}
	c.emit(c.word[:min(len(c.word), maxWord)])
	c.word = c.word[:0]
}

func (c *tokenizer) endRun() {
	for n := range c.run {
		c.emit(c.run[n:min(n+2, len(c.run))])
	}
	c.run = c.run[:0]
}

// unsegmented reports whether a character is of a script that is written without
// blanks, or in which what is searched for often is a part of a word.
func unsegmented(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	return r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// tokenizeQuery cuts a text that is searched for. open is true when the last word
// may go on: a single character of a script without blanks.
func tokenizeQuery(text string) (list []string, open bool) {
	list = tokenize(text)
	if len(list) == 0 {
		return nil, false
	}
	last := []rune(list[len(list)-1])
	if len(last) != 1 || !unsegmented(last[0]) {
		return list, false
	}
	// A run of two or more ends with its last character alone, which the text
	// that is found need not: it may go on there.
	if len(list) > 1 && strings.HasSuffix(list[len(list)-2], string(last)) {
		if before := []rune(list[len(list)-2]); len(before) == 2 && unsegmented(before[0]) {
			return list[:len(list)-1], false
		}
	}
	return list, true
}
