package git

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"stoa.dev/stoa/internal/forge/git/gittest"
	"stoa.dev/stoa/internal/platform/fuzztest"
)

func TestCheckPack(t *testing.T) {
	t.Parallel()
	limits := PackLimits{Objects: 4, Commit: 100, Tree: 1000, Delta: 1 << 20, Unpacked: 1 << 20, Results: 3 << 20}
	const commit, tree, blob, tag = gittest.Commit, gittest.Tree, gittest.Blob, gittest.Tag
	pack, entry, number := gittest.Pack, gittest.Entry, gittest.Number
	text := func(n int) []byte { return bytes.Repeat([]byte{'x'}, n) }
	huge := entry(gittest.RefDelta, make([]byte, 20), append(number(1), number(1<<20)...))
	lying := entry(blob, nil, text(10))
	lying[0] = blob<<4 | 3
	for name, row := range map[string]struct {
		bytes []byte
		want  error
	}{
		"empty":  {pack(), nil},
		"a blob": {pack(entry(blob, nil, text(1<<19))), nil},
		"all kinds": {pack(
			entry(commit, nil, text(100)), entry(tree, nil, text(1000)), entry(tag, nil, text(0)),
		), nil},
		"a delta": {pack(entry(gittest.Offset, []byte{0x81, 1},
			append(append(number(5), number(9)...), text(9)...))), nil},
		"too many":         {pack(text(0), text(0), text(0), text(0), text(0)), ErrTooLarge},
		"a commit":         {pack(entry(commit, nil, text(101))), ErrTooLarge},
		"a tag":            {pack(entry(tag, nil, text(101))), ErrTooLarge},
		"a tree":           {pack(entry(tree, nil, text(1001))), ErrTooLarge},
		"two blobs":        {pack(entry(blob, nil, text(1<<19)), entry(blob, nil, text(1<<19+1))), ErrTooLarge},
		"a delta's result": {gittest.Bomb(blob, 2<<20), ErrTooLarge},
		"a delta's base": {pack(entry(gittest.RefDelta, make([]byte, 20),
			append(number(2<<20), number(1)...))), ErrTooLarge},
		"many results":      {pack(huge, huge, huge, huge), ErrTooLarge},
		"an unknown kind":   {pack(entry(5, nil, text(1))), ErrInvalid},
		"no kind":           {pack(entry(0, nil, text(1))), ErrInvalid},
		"a lying header":    {pack(lying), ErrInvalid},
		"cut off":           {pack(entry(blob, nil, text(100)))[:16], ErrInvalid},
		"not a pack":        {[]byte("PUCK\x00\x00\x00\x02\x00\x00\x00\x00"), ErrInvalid},
		"nothing":           {nil, ErrInvalid},
		"an endless number": {pack(bytes.Repeat([]byte{0xff}, 100)), ErrInvalid},
	} {
		if err := CheckPack(t.Context(), bytes.NewReader(row.bytes), limits); !errors.Is(err, row.want) {
			t.Errorf("%s: got %v, want %v", name, err, row.want)
		}
	}
}

// FuzzPack: what is accepted is within the limits; nothing panics or runs on.
func FuzzPack(f *testing.F) {
	fuzztest.Bytes(f,
		gittest.Pack(gittest.Entry(gittest.Blob, nil, []byte("x"))),
		gittest.Pack(gittest.Entry(gittest.Offset, []byte{0x81, 1}, []byte{5, 9, 1, 2, 3})),
		gittest.Bomb(gittest.Commit, 1<<20),
		[]byte("PACK\x00\x00\x00\x03\xff\xff\xff\xff"),
	)
	f.Fuzz(func(t *testing.T, pack []byte) {
		err := CheckPack(t.Context(), bytes.NewReader(pack), PackLimits{
			Objects: 10, Commit: 1000, Tree: 1000, Delta: 1000, Unpacked: 10000, Results: 10000,
		})
		var own *Error
		if err != nil && !errors.As(err, &own) {
			t.Errorf("got %v, want a refusal", err)
		}
		if err == nil && binary.BigEndian.Uint32(pack[8:]) > 10 {
			t.Error("more objects than there may be were accepted")
		}
	})
}
