package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"testing"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/fuzztest"
)

// A footer that is damaged in any way, also by one who can compute its
// checksum, is refused as such.
func FuzzFooter(f *testing.F) {
	whole, err := encodeFooter(blob.Info{Key: "k", Size: 3})
	if err != nil {
		f.Fatal(err)
	}
	text := whole[:len(whole)-tailSize]
	fuzztest.Bytes(f, text, []byte(`{"key":"k","size":3}`), []byte(`null`), bytes.Replace(text, []byte("0000"), bytes.Repeat([]byte("0"), 90), 1))
	f.Fuzz(func(t *testing.T, text []byte) {
		tail := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(text))
		tail = append(binary.BigEndian.AppendUint32(tail, uint32(len(text))), magic...)
		for _, file := range [][]byte{append([]byte("x"), text...), append(append([]byte("abc"), text...), tail...)} {
			got, err := decodeFooter(bytes.NewReader(file), int64(len(file)), "k")
			if err != nil && !errors.Is(err, blob.ErrDamaged) {
				t.Errorf("%q: got %v, want ErrDamaged", file, err)
			}
			if err == nil && (got.Key != "k" || got.Size > int64(len(file))) {
				t.Errorf("%q: got %+v", file, got)
			}
		}
	})
}
