package journal

import "strings"

// textBlock takes the texts of records one after the other, so that many share one
// allocation. A block is freed when the last of its records is.
type textBlock struct{ builder *strings.Builder }

// The first block is small, since many worlds are asked little.
const (
	firstBlock   = 4 << 10
	largestBlock = 64 << 10
)

// keep copies a text. One that would fill a good part of a block gets its own.
func (b *textBlock) keep(text []byte) string {
	if len(text) > largestBlock/4 {
		return string(text)
	}
	if b.builder == nil || b.builder.Cap()-b.builder.Len() < len(text) {
		size := firstBlock
		if b.builder != nil {
			size = min(2*b.builder.Cap(), largestBlock)
		}
		b.builder = new(strings.Builder)
		b.builder.Grow(max(size, len(text)))
	}
	begin := b.builder.Len()
	b.builder.Write(text)
	return b.builder.String()[begin:]
}
