package plain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// Member is one name and value of a JSON object, in the order it was written.
type Member struct {
	Name string
	Text json.RawMessage
}

// Members reads an object's members in their order.
func Members(text json.RawMessage) ([]Member, bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if t, err := decoder.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	var members []Member
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, false
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return nil, false
		}
		members = append(members, Member{Name: fmt.Sprint(name), Text: value})
	}
	return members, true
}

// Value is a value without quotes, brackets and braces; null and empty lists are empty.
func Value(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return Lines(text)
	}
	var words []string
	if json.Unmarshal(value, &words) == nil {
		return Lines(strings.Join(words, " "))
	}
	words = nil // what could be read of a list of other values
	var list []json.RawMessage
	if json.Unmarshal(value, &list) == nil {
		for _, item := range list {
			words = append(words, Value(item))
		}
		return strings.Join(words, "; ")
	}
	if members, ok := Members(value); ok {
		for _, m := range members {
			words = append(words, m.Name+" "+Value(m.Text))
		}
		return strings.Join(words, ", ")
	}
	return Lines(string(value))
}

// Heading is a member's name as the heading of a column, as in PREFIX URL.
func Heading(name string) string {
	var b strings.Builder
	before := ' '
	for _, letter := range name {
		switch {
		case letter == '_':
			letter = ' '
		case unicode.IsUpper(letter) && unicode.IsLower(before):
			b.WriteRune(' ')
		}
		b.WriteRune(unicode.ToUpper(letter))
		before = letter
	}
	return b.String()
}
