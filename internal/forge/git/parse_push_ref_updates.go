package git

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Zero is the object name of nothing.
const Zero = "0000000000000000000000000000000000000000"

// MaxRefName is the longest name of a ref in bytes.
const MaxRefName = 255

// ValidRefName reports whether a ref can be on record: git itself takes names that
// are not text, or longer than a row can hold.
func ValidRefName(name string) bool { return len(name) <= MaxRefName && utf8.ValidString(name) }

// PushList is what a push wants to change.
type PushList struct {
	// Refs are the names, in full, in the order of the request.
	Refs []string
	// Created counts those that are not there yet, as the client says.
	Created int
	// capabilities are what the client understands.
	capabilities []string
	// Length is how many bytes the list takes, with the packet that ends it.
	Length int64
}

// ReadPushList reads the list of refs that a push wants to change, up to the
// packet that ends it. More than limit entries, a malformed list, and a name that
// fails ValidRefName are refused before git is started.
func ReadPushList(from io.Reader, limit int) (l PushList, err error) {
	for count := 0; ; count++ {
		var digits [4]byte
		if _, err := io.ReadFull(from, digits[:]); err != nil {
			return l, errInvalid("the push ends before its list of refs does")
		}
		length, err := strconv.ParseUint(string(digits[:]), 16, 32)
		if err != nil || length > maxPacket || length > 0 && length < 4 {
			return l, errInvalid("the push is not in git's packet form")
		}
		if length == 0 {
			l.Length += 4
			return l, nil
		}
		l.Length += int64(length)
		if count >= limit {
			return l, errTooLarge("a push may change at most %d refs", limit)
		}
		line := make([]byte, length-4)
		if _, err := io.ReadFull(from, line); err != nil {
			return l, errInvalid("the push ends before its list of refs does")
		}
		if err := l.add(line); err != nil {
			return l, err
		}
	}
}

// add takes one line: "OLD NEW REF", the first with the client's capabilities
// after a zero byte. Other lines name no ref.
func (l *PushList) add(line []byte) error {
	line, rest, first := bytes.Cut(line, []byte{0})
	if first && l.capabilities == nil {
		l.capabilities = strings.Fields(string(rest))
	}
	parts := bytes.SplitN(bytes.TrimSuffix(line, []byte("\n")), []byte(" "), 3)
	if len(parts) < 3 {
		return nil
	}
	ref := string(parts[2])
	if !ValidRefName(ref) {
		return errInvalid("the name of a branch or tag is UTF-8 text of at most %d bytes", MaxRefName)
	}
	l.Refs = append(l.Refs, ref)
	if string(parts[0]) == Zero {
		l.Created++
	}
	return nil
}
