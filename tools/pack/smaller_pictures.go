package main

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"slices"
)

// maxColours is what a picture with a palette has.
const maxColours = 256

// smallerPicture is a picture with a palette of its most frequent colours, where that has fewer bytes; drawings lose
// nothing that is seen.
func smallerPicture(text []byte) ([]byte, error) {
	picture, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	small := image.NewPaletted(picture.Bounds(), palette(picture))
	nearest := map[color.NRGBA]uint8{}
	each(picture, func(x, y int, c color.NRGBA) {
		index, known := nearest[c]
		if !known {
			index = uint8(small.Palette.Index(c)) //nolint:gosec // a palette has 256
			nearest[c] = index
		}
		small.SetColorIndex(x, y, index)
	})
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&out, small); err != nil {
		return nil, err
	}
	if out.Len() >= len(text) {
		return text, nil
	}
	return out.Bytes(), nil
}

// palette are the most frequent colours, the first ones of equals by their values.
func palette(picture image.Image) color.Palette {
	count := map[color.NRGBA]int{}
	each(picture, func(_, _ int, c color.NRGBA) { count[c]++ })
	var all []color.NRGBA
	for c := range count {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b color.NRGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G),
			cmp.Compare(a.B, b.B), cmp.Compare(a.A, b.A))
	})
	var out color.Palette
	for _, c := range all[:min(len(all), maxColours)] {
		out = append(out, c)
	}
	return out
}

// each visits the points of a picture.
func each(picture image.Image, visit func(x, y int, c color.NRGBA)) {
	b := picture.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			visit(x, y, color.NRGBAModel.Convert(picture.At(x, y)).(color.NRGBA))
		}
	}
}
