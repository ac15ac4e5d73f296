package chart_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// TestContactSheet keeps the overview in the documentation in step with the
// golden pictures: all of them on one page, scaled by nothing, cut by nothing.
func TestContactSheet(t *testing.T) {
	t.Parallel()
	p := newPainter(t)
	const columns, cellW, cellH, gap = 3, 620, 320, 12
	var cells []image.Image
	for _, g := range gallery() {
		// TestGolden holds the files against what is painted now.
		b, err := os.ReadFile(filepath.Join("testdata", g.name+".png"))
		if *update {
			b, err = p.PNG(g.chart)
		}
		if err != nil {
			t.Fatal(err)
		}
		if img := decode(t, b); img.Bounds().Dx() <= cellW && img.Bounds().Dy() <= cellH {
			cells = append(cells, img)
		}
	}
	rows := (len(cells) + columns - 1) / columns
	page := image.NewNRGBA(image.Rect(0, 0, columns*cellW+gap, rows*cellH+gap))
	draw.Draw(page, page.Bounds(), image.NewUniform(color.NRGBA{0xdd, 0xe2, 0xe8, 0xff}), image.Point{}, draw.Src)
	for i, c := range cells {
		at := image.Pt(gap+i%columns*cellW, gap+i/columns*cellH)
		draw.Draw(page, c.Bounds().Add(at), c, image.Point{}, draw.Src)
	}
	path := filepath.Join("..", "..", "..", "..", "docs", "services", "snapshots-charts.png")
	if *update {
		var buf bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&buf, page); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, buf.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	have := image.NewNRGBA(page.Bounds())
	draw.Draw(have, have.Bounds(), decode(t, want), image.Point{}, draw.Src)
	if !bytes.Equal(have.Pix, page.Pix) {
		t.Errorf("%s is out of date; look at it and run with -update", path)
	}
}
