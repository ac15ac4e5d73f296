package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"testing"
)

// TestSmallerPicture: a drawing of the documentation has a palette and nearly the same colours.
func TestSmallerPicture(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/services/snapshots-many.png")
	if err != nil {
		t.Fatal(err)
	}
	small, err := smallerPicture(text)
	if err != nil || len(small) > len(text)*2/3 {
		t.Fatalf("%d of %d bytes, %v; want two thirds at most", len(small), len(text), err)
	}
	before, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	after, err := png.Decode(bytes.NewReader(small))
	if err != nil || after.Bounds() != before.Bounds() {
		t.Fatalf("%v, %v", after, err)
	}
	if _, ok := after.(*image.Paletted); !ok {
		t.Errorf("it is a %T", after)
	}
	var sum, points int
	each(before, func(x, y int, c color.NRGBA) {
		d := color.NRGBAModel.Convert(after.At(x, y)).(color.NRGBA)
		for _, pair := range [][2]uint8{{c.R, d.R}, {c.G, d.G}, {c.B, d.B}} {
			sum += max(int(pair[0])-int(pair[1]), int(pair[1])-int(pair[0]))
		}
		points += 3
	})
	if sum > 2*points { // two of 255 in the middle
		t.Errorf("the colours are %d of 255 away in the middle", sum/points)
	}
}
