package drive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// chunked is the length of a body that comes in chunks.
const chunked = -2

// readAnswer reads one answer into body. Anything but the wanted status, a 2xx
// when none is named, is an error: a fast refusal must not look like speed.
func readAnswer(r *bufio.Reader, body []byte, wanted string) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	if len(line) < 12 {
		return nil, fmt.Errorf("no status line: %q", line)
	}
	status := string(line[9:12])
	length, err := readHeaders(r)
	if err != nil {
		return nil, err
	}
	switch {
	case status == "304" || status == "204":
		// It has no body, whatever it says of the one left out.
	case length == chunked:
		body, err = readChunks(r, body)
	case length < 0:
		err = errors.New("the answer has neither a Content-Length nor chunks")
	default:
		body, err = readMore(r, body, length)
	}
	if err != nil {
		return nil, err
	}
	if status != wanted && (wanted != "" || status[0] != '2') {
		return nil, fmt.Errorf("status %s: %.300s", status, body)
	}
	return body, nil
}

// readHeaders finds how long the body is: -1 when nothing says so.
func readHeaders(r *bufio.Reader) (length int, err error) {
	length = -1
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		if len(line) <= 2 {
			return length, nil
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(value)); err != nil {
				return 0, err
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")) && bytes.EqualFold(value, []byte("chunked")):
			length = chunked
		}
	}
}

// readChunks reads until the empty chunk. Trailers are not expected.
func readChunks(r *bufio.Reader, body []byte) ([]byte, error) {
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		size, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 16, 31)
		if err != nil {
			return nil, fmt.Errorf("no chunk size: %w", err)
		}
		if body, err = readMore(r, body, int(size)); err != nil {
			return nil, err
		}
		if _, err := r.Discard(len("\r\n")); err != nil {
			return nil, err
		}
		if size == 0 {
			return body, nil
		}
	}
}

// readMore appends exactly n bytes.
func readMore(r *bufio.Reader, body []byte, n int) ([]byte, error) {
	from := len(body)
	body = slices.Grow(body, n)[:from+n]
	_, err := io.ReadFull(r, body[from:])
	return body, err
}
