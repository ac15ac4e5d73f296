package encodedpage_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/service/events/encodedpage"
)

func items(n, size int) (list [][]byte) {
	for i := range n {
		list = append(list, fmt.Appendf(nil, `{"id":%d,"text":"%s"}`, i, strings.Repeat("x", size)))
	}
	return list
}

func at(item int) time.Time { return time.Date(2026, 3, 1, 9, 0, 59-item, 0, time.UTC) }

// TestPages: pages cut the list where their numbers say, and are not made twice.
func TestPages(t *testing.T) {
	t.Parallel()
	var s encodedpage.Set
	list := items(5, 1)
	for k, want := range map[encodedpage.Key][2]string{
		{Number: 1, Size: 2}: {`[{"id":0,"text":"x"},{"id":1,"text":"x"}]`, "Sun, 01 Mar 2026 09:00:59 GMT"},
		{Number: 3, Size: 2}: {`[{"id":4,"text":"x"}]`, "Sun, 01 Mar 2026 09:00:55 GMT"},
		{Number: 4, Size: 2}: {`[]`, ""},
	} {
		p := s.Page(k, list, at)
		body, etag, compressed := p.Encoding(true)
		if string(body) != want[0] || p.Modified != want[1] || etag == "" || compressed {
			t.Errorf("%v: got %s, %q, compressed %v; want %q", k, body, p.Modified, compressed, want)
		}
		if again := s.Page(k, list, at); again != p {
			t.Errorf("%v: made twice", k)
		}
	}
}

// TestManyAsk: clients that ask at once share a page, its compressed form and its link,
// whose bytes say the same.
func TestManyAsk(t *testing.T) {
	t.Parallel()
	var s encodedpage.Set
	list := items(30, 100)
	plain, plainTag, _ := s.Page(encodedpage.Key{Number: 1, Size: 30}, list, at).Encoding(false)
	var clients sync.WaitGroup
	for i := range 8 {
		clients.Go(func() {
			p := s.Page(encodedpage.Key{Number: 1, Size: 30}, list, at)
			body, etag, compressed := p.Encoding(true)
			if !compressed || etag == plainTag {
				t.Errorf("compressed %v with tag %s, want a tag of its own beside %s", compressed, etag, plainTag)
				return
			}
			z, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			if text, err := io.ReadAll(z); err != nil || !bytes.Equal(text, plain) {
				t.Errorf("got %d bytes, %v; want the %d of the plain page", len(text), err, len(plain))
			}
			query := fmt.Sprint("page=", i%2)
			if got := p.Link("/events", query, func() string { return query }); got != query {
				t.Errorf("got the link %q, want %q", got, query)
			}
		})
	}
	clients.Wait()
}

// TestKeptPagesAreBounded: clients choose the size of a page, and cannot have the server
// keep one for every size.
func TestKeptPagesAreBounded(t *testing.T) {
	t.Parallel()
	var s encodedpage.Set
	list := items(200, 1)
	kept := 0
	for size := 1; size <= 100; size++ {
		k := encodedpage.Key{Number: 1, Size: size}
		if s.Page(k, list, at) == s.Page(k, list, at) {
			kept++
		}
	}
	if kept != 16 {
		t.Errorf("%d pages are kept, want 16", kept)
	}
}
