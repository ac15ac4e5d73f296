//go:build !packed

package bytepairs

import "github.com/tiktoken-go/tokenizer/codec"

// Words are the words of cl100k_base in the order of their numbers.
func Words() ([]string, error) {
	library, words := codec.NewCl100kBase(), []string{}
	for n := uint(0); ; n++ {
		word, err := library.Decode([]uint{n})
		if err != nil {
			// The numbers have no gap: the first that is unknown is the end.
			return words, nil //nolint:nilerr // see above
		}
		words = append(words, word)
	}
}
