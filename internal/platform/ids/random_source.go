package ids

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"sync"
	"time"
)

// Source makes random identifiers. It is safe for concurrent use.
type Source struct {
	mu sync.Mutex
	r  io.Reader
	// Bytes are drawn a block at a time: every request needs a few for its id,
	// and asking the system for each was a tenth of a small answer.
	block  [1024]byte
	unused []byte // the end of block
	drawn  uint64 // bytes given so far
	key    []byte // of a seeded source; nil for a random one
}

// Random draws from the operating system.
func Random() *Source { return &Source{r: rand.Reader} }

// Seeded repeats itself for the same seed. It is for tests and lab worlds
// only: who knows the seed knows every secret made from it.
func Seeded(seed uint64) *Source {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	return &Source{r: mathrand.NewChaCha8(key), key: key[:]}
}

// KeyedAt is a source that repeats itself for the same key, after drawn bytes were given. Who does not know the key
// learns no secret from others.
func KeyedAt(key [32]byte, drawn uint64) *Source {
	return (&Source{r: mathrand.NewChaCha8(key), key: key[:]}).skip(drawn)
}

// SeededAt is Seeded after drawn bytes were given: a lab world that was closed
// goes on where it was.
func SeededAt(seed, drawn uint64) *Source {
	return Seeded(seed).skip(drawn)
}

func (s *Source) skip(drawn uint64) *Source {
	for s.drawn < drawn {
		var skipped [1024]byte
		s.fill(skipped[:min(uint64(len(skipped)), drawn-s.drawn)])
	}
	return s
}

// Drawn is how many bytes were given.
func (s *Source) Drawn() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.drawn
}

// Read fills p. It implements io.Reader and never fails: a system without
// randomness cannot run safely, so crypto/rand ends the process itself.
func (s *Source) Read(p []byte) (int, error) {
	s.fill(p)
	return len(p), nil
}

func (s *Source) fill(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for rest := p; len(rest) > 0; {
		if len(s.unused) == 0 {
			if _, err := io.ReadFull(s.r, s.block[:]); err != nil {
				panic(fmt.Sprintf("ids: no randomness: %v", err))
			}
			s.unused = s.block[:]
		}
		n := copy(rest, s.unused)
		clear(s.unused[:n]) // what became a secret stands nowhere else
		rest, s.unused = rest[n:], s.unused[n:]
	}
	s.drawn += uint64(len(p))
}

// Hex is n lower-case hexadecimal characters.
func (s *Source) Hex(n int) string {
	var raw [32]byte
	var text [2 * len(raw)]byte
	if n > len(text) {
		return s.Hex(len(text)) + s.Hex(n-len(text))
	}
	half := raw[:(n+1)/2]
	s.fill(half)
	hex.Encode(text[:], half)
	return string(text[:n])
}

// Stamp is twelve hexadecimal characters that grow with the millisecond. An id
// that begins with it and goes on at random stands in an index beside those
// made at the same time: many inserts then touch a few pages, not one each.
func Stamp(now time.Time) string {
	var milliseconds [8]byte
	binary.BigEndian.PutUint64(milliseconds[:], uint64(now.UnixMilli()))
	return hex.EncodeToString(milliseconds[2:])
}

// UUID is a version 4 UUID in its usual text form.
func (s *Source) UUID() string {
	var u [16]byte
	s.fill(u[:])
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80

	var text [36]byte
	hex.Encode(text[0:8], u[0:4])
	hex.Encode(text[9:13], u[4:6])
	hex.Encode(text[14:18], u[6:8])
	hex.Encode(text[19:23], u[8:10])
	hex.Encode(text[24:36], u[10:16])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return string(text[:])
}

// Token is a secret of 256 bits in 43 URL-safe characters.
func (s *Source) Token() string {
	var raw [32]byte
	s.fill(raw[:])
	return base64.RawURLEncoding.EncodeToString(raw[:])
}

// Text is n characters drawn evenly from alphabet, which holds 1 to 256
// single-byte characters.
func (s *Source) Text(alphabet string, n int) string {
	if len(alphabet) == 0 || len(alphabet) > 256 {
		panic("ids: alphabet must hold 1 to 256 characters")
	}
	// Values at or above limit would favour the first characters.
	limit := 256 - 256%len(alphabet)
	out := make([]byte, 0, n)
	var buf [64]byte
	for len(out) < n {
		s.fill(buf[:])
		for _, b := range buf {
			if int(b) < limit && len(out) < n {
				out = append(out, alphabet[int(b)%len(alphabet)])
			}
		}
	}
	return string(out)
}

// Int64N is evenly drawn from 0 to n-1; n must be positive.
func (s *Source) Int64N(n int64) int64 {
	if n <= 0 {
		panic("ids: Int64N needs a positive bound")
	}
	max := uint64(1<<63) - uint64(1<<63)%uint64(n)
	for {
		if v := s.uint64() >> 1; v < max {
			return int64(v % uint64(n))
		}
	}
}

// Float64 is evenly drawn from 0 (included) to 1 (excluded).
func (s *Source) Float64() float64 {
	return float64(s.uint64()>>11) / (1 << 53)
}

// Jitter is from 0 (included) to 1 (excluded) too. A seeded source has one for each
// name and draws nothing for it: when work in the background fails, and between which
// requests, changes no identifier that comes after.
func (s *Source) Jitter(name string) float64 {
	if s.key == nil {
		return s.Float64()
	}
	sum := sha256.Sum256(append(s.key[:len(s.key):len(s.key)], name...))
	return float64(binary.LittleEndian.Uint64(sum[:])>>11) / (1 << 53)
}

func (s *Source) uint64() uint64 {
	var raw [8]byte
	s.fill(raw[:])
	return binary.LittleEndian.Uint64(raw[:])
}
