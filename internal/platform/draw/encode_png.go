package draw

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	"github.com/klauspost/compress/zlib"
)

// compression is the deflate level: charts are flat, so the fast levels lose a
// few percent of size and win half of the time.
const compression = 2

// pngWriter writes an eight-bit PNG: with a palette when the picture is drawn in
// one strip and has at most 256 colours (most charts), in true colour otherwise.
// No filter is used: on flat areas filters cost time and gain nothing.
type pngWriter struct {
	out  *bytes.Buffer
	idat bytes.Buffer
	z    *zlib.Writer
	w, h int
	open bool
	line []byte
}

// strip appends the rows of the canvas's strip.
func (p *pngWriter) strip(c *Canvas) error {
	var pal *palette
	if !p.open {
		p.open = true
		p.z.Reset(&p.idat)
		if c.strip.H() == p.h {
			pal = indexColors(c.pix)
		}
		p.header(pal)
	}
	for y := range c.strip.H() {
		row := c.pix[y*p.w : (y+1)*p.w]
		p.line = append(p.line[:0], 0)
		if pal != nil {
			p.line = pal.appendRow(p.line, row)
		} else {
			for _, v := range row {
				p.line = append(p.line, byte(v>>16), byte(v>>8), byte(v))
			}
		}
		if _, err := p.z.Write(p.line); err != nil {
			return err
		}
	}
	return nil
}

func (p *pngWriter) close() error {
	if err := p.z.Close(); err != nil {
		return err
	}
	p.chunk("IDAT", p.idat.Bytes())
	p.chunk("IEND", nil)
	return nil
}

// header writes everything before the image data.
func (p *pngWriter) header(pal *palette) {
	p.out.WriteString("\x89PNG\r\n\x1a\n")
	b := binary.BigEndian.AppendUint32(nil, uint32(p.w))
	b = binary.BigEndian.AppendUint32(b, uint32(p.h))
	kind := byte(2)
	if pal != nil {
		kind = 3
	}
	p.chunk("IHDR", append(b, 8, kind, 0, 0, 0))
	if pal != nil {
		var plte []byte
		for _, v := range pal.colors {
			plte = append(plte, byte(v>>16), byte(v>>8), byte(v))
		}
		p.chunk("PLTE", plte)
	}
}

func (p *pngWriter) chunk(kind string, data []byte) {
	p.out.Write(binary.BigEndian.AppendUint32(nil, uint32(len(data))))
	sum := crc32.NewIEEE()
	_, _ = sum.Write([]byte(kind)) // a hash never fails
	_, _ = sum.Write(data)
	p.out.WriteString(kind)
	p.out.Write(data)
	p.out.Write(binary.BigEndian.AppendUint32(nil, sum.Sum32()))
}

// palette maps pixel values to indexes through a small open hash table; the
// order of colours is the order of their first pixel, hence deterministic.
type palette struct {
	colors []uint32
	keys   [paletteSlots]uint32 // pixel+1, zero is free
	index  [paletteSlots]uint8
}

const paletteSlots = 1024

// indexColors returns nil when the picture has more than 256 colours.
func indexColors(pix []uint32) *palette {
	p := &palette{}
	last := ^uint32(0)
	for _, v := range pix {
		if v == last {
			continue
		}
		last = v
		s := p.slot(v)
		if p.keys[s] != 0 {
			continue
		}
		if len(p.colors) == 256 {
			return nil
		}
		p.keys[s], p.index[s] = v+1, uint8(len(p.colors))
		p.colors = append(p.colors, v)
	}
	return p
}

// slot finds the place of v or the free place where it belongs.
func (p *palette) slot(v uint32) uint32 {
	s := v * 2654435761 >> 22
	for p.keys[s] != 0 && p.keys[s] != v+1 {
		s = (s + 1) % paletteSlots
	}
	return s
}

func (p *palette) appendRow(line []byte, row []uint32) []byte {
	last, idx := ^uint32(0), byte(0)
	for _, v := range row {
		if v != last {
			last, idx = v, p.index[p.slot(v)]
		}
		line = append(line, idx)
	}
	return line
}
