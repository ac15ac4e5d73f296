package build

import (
	"bytes"
	"testing"
)

// What is stored as a piece becomes a bounded text or an error, and a text that was packed comes back.
func FuzzUnpack(f *testing.F) {
	f.Add([]byte("hello"))
	f.Add(Pack(bytes.Repeat([]byte("chatter"), 1000)))
	f.Add([]byte{255, 255, 255, 255, 15})
	f.Fuzz(func(t *testing.T, data []byte) {
		if text, err := unpack(data); err == nil && len(text) > MaxPiece {
			t.Errorf("%d bytes of a piece", len(text))
		}
		data = data[:min(len(data), MaxPiece)]
		if text, err := unpack(Pack(data)); err != nil || !bytes.Equal(text, data) {
			t.Errorf("got %q, %v, want %q", text, err, data)
		}
	})
}
