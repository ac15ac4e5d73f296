package sentence

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// wordPieces cuts text into the tokens of BERT models without case.
type wordPieces struct {
	vocabulary                map[string]int
	unknown, begin, separator int
}

// maxWord is the longest word, in characters, that is cut into pieces.
const maxWord = 100

// newWordPieces reads the vocabulary of a tokenizer.json.
func newWordPieces(file []byte) (*wordPieces, error) {
	var document struct {
		Model struct {
			Type       string         `json:"type"`
			Vocabulary map[string]int `json:"vocab"`
		} `json:"model"`
	}
	if err := json.Unmarshal(file, &document); err != nil {
		return nil, fmt.Errorf("sentence: read the tokenizer: %w", err)
	}
	w := &wordPieces{vocabulary: document.Model.Vocabulary}
	for name, into := range map[string]*int{"[UNK]": &w.unknown, "[CLS]": &w.begin, "[SEP]": &w.separator} {
		id, ok := w.vocabulary[name]
		if !ok || document.Model.Type != "WordPiece" {
			return nil, errors.New("sentence: the tokenizer is not a WordPiece vocabulary")
		}
		*into = id
	}
	return w, nil
}

// tokens are the tokens of a text with their frame, at most limit.
func (w *wordPieces) tokens(text string, limit int) []int {
	out := []int{w.begin}
	for _, word := range splitWords(text) {
		if len(out) >= limit-1 {
			break
		}
		out = append(out, w.pieces(word)...)
	}
	return append(out[:min(len(out), limit-1)], w.separator)
}

// pieces cuts a word, the longest piece first.
func (w *wordPieces) pieces(word string) []int {
	letters := []rune(word)
	if len(letters) > maxWord {
		return []int{w.unknown}
	}
	var out []int
	for start := 0; start < len(letters); {
		end, id, found := len(letters), 0, false
		for ; end > start && !found; end-- {
			piece := string(letters[start:end])
			if start > 0 {
				piece = "##" + piece
			}
			id, found = w.vocabulary[piece]
		}
		if !found {
			return []int{w.unknown}
		}
		out, start = append(out, id), end+1
	}
	return out
}

// splitWords lowers, drops accents, and splits at blanks, punctuation and
// characters of scripts without blanks.
func splitWords(text string) []string {
	var spaced strings.Builder
	for _, r := range norm.NFD.String(strings.ToLower(text)) {
		switch {
		case r == 0 || r == unicode.ReplacementChar || unicode.Is(unicode.Mn, r):
		case unicode.IsSpace(r):
			spaced.WriteByte(' ')
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
		case isPunctuation(r) || unicode.Is(unicode.Han, r):
			spaced.WriteString(" " + string(r) + " ")
		default:
			spaced.WriteRune(r)
		}
	}
	return strings.Fields(spaced.String())
}

func isPunctuation(r rune) bool {
	return unicode.IsPunct(r) || r < unicode.MaxASCII && unicode.IsSymbol(r)
}
