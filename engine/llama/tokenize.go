//go:build linux && amd64

package llama

import "errors"

// Count is how many tokens a plain text has.
func (m *model) Count(text string) (int, error) {
	tokens, err := m.tokens(text, false, false)
	return len(tokens), err
}

// tokens tokenizes a text. Names of special tokens in it count as such only when
// special is set: a user must not be able to write them.
func (m *model) tokens(text string, special, begin bool) ([]int32, error) {
	if text == "" {
		return nil, nil
	}
	raw := []byte(text)
	out := make([]int32, len(raw)/2+16)
	for range 2 {
		n := m.lib.tokenize(m.vocab, &raw[0], int32(len(raw)), &out[0], int32(len(out)), begin, special)
		if n >= 0 {
			return out[:n], nil
		}
		out = make([]int32, -n)
	}
	return nil, errors.New("the engine cannot tokenize the text")
}

// piece is the bytes of a token.
func (m *model) piece(token int32) []byte {
	buf := make([]byte, 64)
	for range 2 {
		n := m.lib.piece(m.vocab, token, &buf[0], int32(len(buf)), 0, false)
		if n >= 0 {
			return buf[:n]
		}
		buf = make([]byte, -n)
	}
	return nil
}
