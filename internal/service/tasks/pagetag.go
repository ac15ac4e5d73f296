package tasks

import (
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"strconv"
)

// pageTag is the etag of a page: it changes when a resource on it does.
type pageTag struct {
	h   hash.Hash
	buf []byte
}

func newPageTag() *pageTag { return &pageTag{h: sha256.New()} }

func (p *pageTag) add(id string, version int64) {
	p.buf = strconv.AppendInt(append(append(p.buf[:0], id...), '/'), version, 10)
	p.h.Write(append(p.buf, ' '))
}

// String is the tag in quotes.
func (p *pageTag) String() string {
	return `"` + base64.RawURLEncoding.EncodeToString(p.h.Sum(nil)[:12]) + `"`
}
