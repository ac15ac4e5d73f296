package console

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/wire"
)

// maxParts bounds the fields of a form with files.
const maxParts = 100

// readForm reads a form, and the files of one that has some. What is read is bounded by
// the route's MaxBody.
func readForm(r *http.Request) (form url.Values, files map[string][]byte, err error) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // what is no media type is not this one
	if kind != "multipart/form-data" {
		form, err = wire.ReadForm(r)
		return form, nil, err
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, nil, &wire.SyntaxError{Reason: "the form is not valid: " + err.Error()}
	}
	form, files = url.Values{}, map[string][]byte{}
	for range maxParts {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return form, files, nil
		}
		if err != nil {
			return nil, nil, partFailure(err)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return nil, nil, partFailure(err)
		}
		name := part.FormName()
		switch text := string(content); {
		case part.FileName() != "":
			files[name] = content
		case !utf8.ValidString(name+text) || strings.IndexByte(name+text, 0) >= 0:
			return nil, nil, &wire.SyntaxError{Reason: "the form must be UTF-8 text without NUL"}
		default:
			form.Add(name, text)
		}
	}
	return nil, nil, &wire.SyntaxError{Reason: "the form has too many fields"}
}

func partFailure(err error) error {
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &wire.SizeError{Limit: large.Limit}
	}
	if errors.Is(err, wire.ErrTooLarge) {
		return err
	}
	return &wire.SyntaxError{Reason: "the form is not valid: " + err.Error()}
}
