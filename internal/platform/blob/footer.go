package blob

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"time"
)

// An object file is the object's bytes, then meta as JSON, then a tail of fixed size: CRC-32 of the JSON, its
// length, and a magic word. Writing it needs no second pass over the bytes, and reading it is one read at the end.
const (
	magic      = "stoablb1"
	tailSize   = 4 + 4 + len(magic)
	maxFooter  = 4096
	maxContent = 255
)

// meta is what is kept beside the bytes.
type meta struct {
	Key         string    `json:"key"`
	Size        int64     `json:"size"`
	SHA256      string    `json:"sha256"`
	ContentType string    `json:"content_type,omitempty"`
	Modified    time.Time `json:"modified"`
	Expires     time.Time `json:"expires,omitzero"`
}

func toMeta(i Info) meta {
	return meta{i.Key, i.Size, hex.EncodeToString(i.SHA256[:]), i.ContentType, i.Modified, i.Expires}
}

func (m meta) info() (Info, error) {
	i := Info{Key: m.Key, Size: m.Size, ContentType: m.ContentType, Modified: m.Modified, Expires: m.Expires}
	sum, err := hex.DecodeString(m.SHA256)
	if err != nil || len(sum) != len(i.SHA256) {
		return Info{}, fmt.Errorf("%w: %s has no hash", ErrDamaged, m.Key)
	}
	copy(i.SHA256[:], sum)
	return i, nil
}

func encodeFooter(i Info) ([]byte, error) {
	text, err := json.Marshal(toMeta(i))
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	footer := binary.BigEndian.AppendUint32(text, crc32.ChecksumIEEE(text))
	footer = binary.BigEndian.AppendUint32(footer, uint32(len(text)))
	return append(footer, magic...), nil
}

// decodeFooter reads the footer of a file of length bytes that should hold key.
func decodeFooter(r io.ReaderAt, length int64, key string) (Info, error) {
	end := make([]byte, min(length, maxFooter))
	if _, err := r.ReadAt(end, length-int64(len(end))); err != nil {
		return Info{}, fmt.Errorf("blob: read %s: %w", key, err)
	}
	text, ok := footerText(end)
	if !ok {
		return Info{}, fmt.Errorf("%w: %s has no whole footer", ErrDamaged, key)
	}
	var m meta
	if err := json.Unmarshal(text, &m); err != nil {
		return Info{}, fmt.Errorf("%w: %s: %w", ErrDamaged, key, err)
	}
	if m.Key != key || m.Size != length-int64(len(text)+tailSize) {
		return Info{}, fmt.Errorf("%w: the file of %s holds %d bytes of %s", ErrDamaged, key, m.Size, m.Key)
	}
	return m.info()
}

func footerText(end []byte) ([]byte, bool) {
	if len(end) < tailSize {
		return nil, false
	}
	body, tail := end[:len(end)-tailSize], end[len(end)-tailSize:]
	n := int(binary.BigEndian.Uint32(tail[4:8]))
	if string(tail[8:]) != magic || n > len(body) {
		return nil, false
	}
	text := body[len(body)-n:]
	return text, crc32.ChecksumIEEE(text) == binary.BigEndian.Uint32(tail[:4])
}
