package source

import (
	"bytes"
	"errors"
	"io"
	"path"
	"strings"

	"golang.org/x/net/html"
)

// pypiLinks reads the HTML form of a project page.
func pypiLinks(body []byte) ([]pypiFile, error) {
	var files []pypiFile
	tokens := html.NewTokenizer(bytes.NewReader(body))
	tokens.SetMaxBuf(1 << 20)
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			if err := tokens.Err(); !errors.Is(err, io.EOF) {
				return nil, err
			}
			return files, nil
		}
		if kind != html.StartTagToken {
			continue
		}
		if f, ok := pypiAnchor(tokens.Token()); ok {
			files = append(files, f)
		}
	}
}

// pypiAnchor reads one file from its link and the link's data attributes.
func pypiAnchor(t html.Token) (pypiFile, bool) {
	if t.Data != "a" {
		return pypiFile{}, false
	}
	f := pypiFile{Hashes: map[string]string{}}
	for _, a := range t.Attr {
		switch a.Key {
		case "href":
			address, fragment, _ := strings.Cut(a.Val, "#")
			f.URL, f.Filename = address, path.Base(address)
			if kind, digest, ok := strings.Cut(fragment, "="); ok {
				f.Hashes[kind] = digest
			}
		case "data-yanked":
			f.Yanked = a.Val
		case "data-upload-time":
			f.Uploaded = a.Val
		case "data-core-metadata", "data-dist-info-metadata":
			f.Metadata = a.Val
		case "data-provenance":
			f.Provenance = a.Val
		case "data-requires-python":
			f.Python = a.Val
		}
	}
	return f, f.URL != ""
}
