package files

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/blob/format"
)

// An object file is the object's bytes, then meta as JSON, then a tail of fixed size: CRC-32 of the JSON, its
// length, and a magic word. Writing it needs no second pass over the bytes, and reading it is one read at the end.
const (
	magic     = "stoablb1"
	tailSize  = 4 + 4 + len(magic)
	maxFooter = 4096
)

func encodeFooter(i blob.Info) ([]byte, error) {
	text, err := json.Marshal(format.ToMeta(i))
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	footer := binary.BigEndian.AppendUint32(text, crc32.ChecksumIEEE(text))
	footer = binary.BigEndian.AppendUint32(footer, uint32(len(text)))
	return append(footer, magic...), nil
}

// decodeFooter reads the footer of a file of length bytes that should hold key.
func decodeFooter(r io.ReaderAt, length int64, key string) (blob.Info, error) {
	end := make([]byte, min(length, maxFooter))
	if _, err := r.ReadAt(end, length-int64(len(end))); err != nil {
		return blob.Info{}, fmt.Errorf("blob: read %s: %w", key, err)
	}
	text, ok := footerText(end)
	if !ok {
		return blob.Info{}, fmt.Errorf("%w: %s has no whole footer", blob.ErrDamaged, key)
	}
	var m format.Meta
	if err := json.Unmarshal(text, &m); err != nil {
		return blob.Info{}, fmt.Errorf("%w: %s: %w", blob.ErrDamaged, key, err)
	}
	if m.Key != key || m.Size != length-int64(len(text)+tailSize) {
		return blob.Info{}, fmt.Errorf("%w: the file of %s holds %d bytes of %s", blob.ErrDamaged, key, m.Size, m.Key)
	}
	return m.Info()
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
