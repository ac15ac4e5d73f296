package tasks

import (
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"strconv"
)

// pageTag is the etag of a page: it changes when a resource on it does, and
// when it becomes the last one or is it no longer.
type pageTag struct {
	h   hash.Hash
	buf []byte
}

func newPageTag() *pageTag { return &pageTag{h: sha256.New()} }

func (p *pageTag) add(id string, version int64) {
	p.buf = strconv.AppendInt(append(append(p.buf[:0], id...), '/'), version, 10)
	p.h.Write(append(p.buf, ' '))
}

// more adds that another page follows.
func (p *pageTag) more() { p.h.Write([]byte{'+'}) }

// String is the tag in quotes.
func (p *pageTag) String() string {
	return `"` + base64.RawURLEncoding.EncodeToString(p.h.Sum(nil)[:12]) + `"`
}
