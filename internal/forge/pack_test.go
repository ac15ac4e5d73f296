package forge

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// packOf writes a pack of entries.
func packOf(entries ...[]byte) []byte {
	out := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(len(entries)))
	for _, e := range entries {
		out = append(out, e...)
	}
	sum := sha1.Sum(out)
	return append(out, sum[:]...)
}

// entry is one object of a pack; base names that of a delta.
func entry(kind byte, base, content []byte) []byte {
	return entryFrom(kind, base, bytes.NewReader(content), len(content))
}

// entryFrom is entry for what need not be in memory.
func entryFrom(kind byte, base []byte, content io.Reader, size int) []byte {
	left := size >> 4
	first := kind<<4 | byte(size&15)
	var out []byte
	for ; left > 0; left >>= 7 {
		out = append(out, first|0x80)
		first = byte(left & 0x7f)
	}
	out = append(append(out, first), base...)
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = io.CopyN(z, content, int64(size))
	_ = z.Close()
	return append(out, packed.Bytes()...)
}

// zeros is an object of zero bytes.
func zeros(kind byte, size int) []byte { return entryFrom(kind, nil, zeroReader{}, size) }

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func number(n uint64) []byte { return binary.AppendUvarint(nil, n) }

// block is how much one instruction of a bomb's delta copies.
const block = 1 << 16

// bombBase is the object that a bomb copies; it is a good commit.
func bombBase() []byte {
	return append([]byte("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\n"),
		bytes.Repeat([]byte{'x'}, block)...)
}

// LargeCommit is a pack with a commit of size bytes and the commit's name.
func LargeCommit(size int) (pack []byte, name string) {
	content := bytes.Repeat(bombBase()[:block], size/block)
	sum := sha1.Sum(append([]byte("commit "+strconv.Itoa(len(content))+"\x00"), content...))
	return packOf(append(bombEntries(packCommit, size), entry(packTree, nil, nil))...), hex.EncodeToString(sum[:])
}

// bomb is a pack of two objects, the second of which copies the first so often
// that it stands for size bytes.
func bomb(kind byte, size int) []byte { return packOf(bombEntries(kind, size)...) }

func bombEntries(kind byte, size int) [][]byte {
	base := bombBase()
	delta := append(number(uint64(len(base))), number(uint64(size/block*block))...)
	for range size / block {
		delta = append(delta, 0x80) // copy 64 KiB from the beginning
	}
	name := sha1.Sum(append([]byte(map[byte]string{packCommit: "commit ", packBlob: "blob "}[kind]+strconv.Itoa(len(base))+"\x00"), base...))
	return [][]byte{entry(kind, nil, base), entry(packRefDelta, name[:], delta)}
}

func TestCheckPack(t *testing.T) {
	t.Parallel()
	limits := packLimits{objects: 4, commit: 100, tree: 1000, delta: 1 << 20, unpacked: 1 << 20, results: 3 << 20}
	text := func(n int) []byte { return bytes.Repeat([]byte{'x'}, n) }
	huge := entry(packRefDelta, make([]byte, 20), append(number(1), number(1<<20)...))
	lying := entry(packBlob, nil, text(10))
	lying[0] = packBlob<<4 | 3
	for name, row := range map[string]struct {
		pack []byte
		want error
	}{
		"empty":             {packOf(), nil},
		"a blob":            {packOf(entry(packBlob, nil, text(1<<19))), nil},
		"all kinds":         {packOf(entry(packCommit, nil, text(100)), entry(packTree, nil, text(1000)), entry(packTag, nil, text(0))), nil},
		"a delta":           {packOf(entry(packOffset, []byte{0x81, 1}, append(append(number(5), number(9)...), text(9)...))), nil},
		"too many":          {packOf(text(0), text(0), text(0), text(0), text(0)), ErrTooLarge},
		"a commit":          {packOf(entry(packCommit, nil, text(101))), ErrTooLarge},
		"a tag":             {packOf(entry(packTag, nil, text(101))), ErrTooLarge},
		"a tree":            {packOf(entry(packTree, nil, text(1001))), ErrTooLarge},
		"two blobs":         {packOf(entry(packBlob, nil, text(1<<19)), entry(packBlob, nil, text(1<<19+1))), ErrTooLarge},
		"a delta's result":  {bomb(packBlob, 2<<20), ErrTooLarge},
		"a delta's base":    {packOf(entry(packRefDelta, make([]byte, 20), append(number(2<<20), number(1)...))), ErrTooLarge},
		"many results":      {packOf(huge, huge, huge, huge), ErrTooLarge},
		"an unknown kind":   {packOf(entry(5, nil, text(1))), ErrInvalid},
		"no kind":           {packOf(entry(0, nil, text(1))), ErrInvalid},
		"a lying header":    {packOf(lying), ErrInvalid},
		"cut off":           {packOf(entry(packBlob, nil, text(100)))[:16], ErrInvalid},
		"no pack":           {[]byte("PUCK\x00\x00\x00\x02\x00\x00\x00\x00"), ErrInvalid},
		"nothing":           {nil, ErrInvalid},
		"an endless number": {packOf(bytes.Repeat([]byte{0xff}, 100)), ErrInvalid},
	} {
		if err := checkPack(t.Context(), bytes.NewReader(row.pack), limits); !errors.Is(err, row.want) {
			t.Errorf("%s: got %v, want %v", name, err, row.want)
		}
	}
}

// FuzzPack: what is accepted is within the limits; nothing panics or runs on.
func FuzzPack(f *testing.F) {
	fuzztest.Bytes(f,
		packOf(entry(packBlob, nil, []byte("x"))),
		packOf(entry(packOffset, []byte{0x81, 1}, []byte{5, 9, 1, 2, 3})),
		bomb(packCommit, 1<<20),
		[]byte("PACK\x00\x00\x00\x03\xff\xff\xff\xff"),
	)
	f.Fuzz(func(t *testing.T, pack []byte) {
		err := checkPack(t.Context(), bytes.NewReader(pack), packLimits{objects: 10, commit: 1000, tree: 1000, delta: 1000, unpacked: 10000, results: 10000})
		var own *Error
		if err != nil && !errors.As(err, &own) {
			t.Errorf("got %v, want an error for people", err)
		}
		if err == nil && binary.BigEndian.Uint32(pack[8:]) > 10 {
			t.Error("more objects than there may be were accepted")
		}
	})
}

// TestGitStaysWithinItsMemory gives git, without the check before it, packs of
// a few kilobytes that stand for gigabytes. It dies within its bounds.
func TestGitStaysWithinItsMemory(t *testing.T) {
	t.Parallel()
	if len((bounds{}).shell()) == 0 {
		if runtime.GOOS == "linux" {
			t.Fatal("git programs have no bounds")
		}
		t.Skip("only Linux has bounds on programs")
	}
	dir := filepath.Join(t.TempDir(), "bare.git")
	if out, err := exec.Command("git", "init", "-q", "--bare", dir).CombinedOutput(); err != nil {
		t.Fatalf("init: %v\n%s", err, out)
	}
	const memory = 64 << 20
	config := DefaultConfig()
	g := newGit(config, t.TempDir(), 1<<30)
	if err := os.MkdirAll(g.root, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, pack := range map[string][]byte{
		"a delta of a file":   bomb(packBlob, 600<<20),
		"a delta of a commit": bomb(packCommit, 600<<20),
		"a commit":            packOf(zeros(packCommit, 80<<20)),
		"a tree":              packOf(zeros(packTree, 80<<20)),
	} {
		if len(pack) > 300<<10 {
			t.Errorf("%s: the pack has %d bytes", name, len(pack))
		}
		cmd := g.command(t.Context(), place{memory: memory}, dir, "index-pack", "--stdin", "--strict")
		cmd.Stdin = bytes.NewReader(pack)
		_, err := collect(t.Context(), cmd, "index-pack", 1000)
		if !isRunError(err) {
			t.Errorf("%s: got %v, want git to fail", name, err)
		}
		// Before it runs git the new process is a copy of this one, which counts.
		var own syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
			t.Fatal(err)
		}
		most := max(memory+32<<20, own.Maxrss<<10)
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); !ok || usage.Maxrss<<10 > most {
			t.Errorf("%s: git took %d MiB, want at most %d", name, usage.Maxrss>>10, most>>20)
		}
	}
	// What is small passes.
	cmd := g.command(t.Context(), place{memory: memory}, dir, "index-pack", "--stdin")
	cmd.Stdin = bytes.NewReader(bomb(packBlob, 8<<20))
	if out, err := collect(t.Context(), cmd, "index-pack", 1000); err != nil {
		t.Errorf("a small pack: %v\n%s", err, out)
	}
}

// TestBoundsReachEveryProgram looks at the limits from inside.
func TestBoundsReachEveryProgram(t *testing.T) {
	t.Parallel()
	if len((bounds{}).shell()) == 0 {
		if runtime.GOOS == "linux" {
			t.Fatal("git programs have no bounds")
		}
		t.Skip("only Linux has bounds on programs")
	}
	config := DefaultConfig()
	config.Git = "/bin/sh"
	g := newGit(config, t.TempDir(), 1<<30)
	if err := os.MkdirAll(g.root, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := g.command(context.Background(), place{memory: 64 << 20}, "")
	cmd.Args = append(cmd.Args[:5:5], "-c", "ulimit -d; ulimit -v; ulimit -t; ulimit -f; ulimit -c")
	out, err := collect(t.Context(), cmd, "sh", 1000)
	if want := "65536\n1114112\n600\n20971520\n0\n"; err != nil || string(out) != want {
		t.Errorf("got %q %v, want %q", out, err, want)
	}
}
