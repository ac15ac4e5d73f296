package query

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// kind is the sort of a token.
type kind int

const (
	end kind = iota
	word
	number
	quoted
	symbol
)

type token struct {
	kind  kind
	text  string
	value float64 // of numbers
	at    int
}

// lexer cuts a query into tokens. Scopes have rules of their own and are read
// by the scope parser from the raw text.
type lexer struct {
	text string
	i    int
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// next returns the token at the cursor and moves behind it.
func (l *lexer) next() (token, error) {
	for l.i < len(l.text) && strings.IndexByte(" \t\r\n", l.text[l.i]) >= 0 {
		l.i++
	}
	at := l.i
	if at == len(l.text) {
		return token{kind: end, at: at}, nil
	}
	switch c := l.text[at]; {
	case isLetter(c):
		for l.i < len(l.text) && (isLetter(l.text[l.i]) || isDigit(l.text[l.i]) || l.text[l.i] == '.') {
			l.i++
		}
		return token{kind: word, text: l.text[at:l.i], at: at}, nil
	case isDigit(c) || c == '.' && at+1 < len(l.text) && isDigit(l.text[at+1]):
		return l.number()
	case c == '\'' || c == '"':
		return l.quoted(c)
	case strings.IndexByte("+-*/(),:{}.", c) >= 0:
		l.i++
		return token{kind: symbol, text: l.text[at:l.i], at: at}, nil
	default:
		r, size := utf8.DecodeRuneInString(l.text[at:])
		if r == utf8.RuneError && size == 1 {
			return token{}, errorAt(l.text, at, "the query is not valid UTF-8")
		}
		return token{}, errorAt(l.text, at, "unexpected character %q", r)
	}
}

func (l *lexer) number() (token, error) {
	at := l.i
	for l.i < len(l.text) {
		c := l.text[l.i]
		exponent := (c == '+' || c == '-') && l.i > at && l.text[l.i-1]|0x20 == 'e'
		if !isDigit(c) && c != '.' && c|0x20 != 'e' && !exponent {
			break
		}
		l.i++
	}
	v, err := strconv.ParseFloat(l.text[at:l.i], 64)
	if err != nil {
		return token{}, errorAt(l.text, at, "malformed number %q", l.text[at:l.i])
	}
	return token{kind: number, text: l.text[at:l.i], value: v, at: at}, nil
}

func (l *lexer) quoted(mark byte) (token, error) {
	at := l.i
	n := strings.IndexByte(l.text[at+1:], mark)
	if n < 0 {
		return token{}, errorAt(l.text, at, "a text that begins with %c has no end", mark)
	}
	l.i = at + n + 2
	return token{kind: quoted, text: l.text[at+1 : at+1+n], at: at}, nil
}
