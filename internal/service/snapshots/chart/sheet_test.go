package chart_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// docsDir is where the pictures and the page that shows them are.
var docsDir = filepath.Join("..", "..", "..", "..", "docs", "services")

// TestGallery compares every kind of chart with pictures that were looked at, pixel
// by pixel and without tolerance: those of middle size, light and dark, are the
// ones that the documentation shows; those of two other sizes are kept as sums.
func TestGallery(t *testing.T) {
	t.Parallel()
	p := newPainter(t)
	var sums, page strings.Builder
	page.WriteString(pageHead)
	for _, g := range gallery() {
		paint := func(w, h int, dark bool) image.Image {
			t.Helper()
			c := g.chart
			c.Width, c.Height, c.Dark = w, h, dark
			b, err := p.PNG(c)
			if err != nil {
				t.Fatal(err)
			}
			return decode(t, b)
		}
		for _, size := range [][2]int{{300, 185}, {900, 420}} {
			for _, dark := range []bool{false, true} {
				fmt.Fprintf(&sums, "%x %s %dx%d dark=%v\n", sumOf(paint(size[0], size[1], dark)), g.name, size[0],
					size[1], dark)
			}
		}
		path := filepath.Join(docsDir, "snapshots-"+g.name+".png")
		compare(t, path, beside(paint(440, 240, false), paint(440, 240, true)))
		fmt.Fprintf(&page, "## %s\n\n![%s, light and dark](snapshots-%s.png)\n\n", title(g), g.name, g.name)
	}
	compareText(t, filepath.Join("testdata", "gallery.sums"), sums.String())
	compareText(t, filepath.Join(docsDir, "snapshots-gallery.md"), strings.TrimSuffix(page.String(), "\n"))
}

const pageHead = "# Every kind of graph\n\nPainted by the server itself, with both themes; " +
	"`go test ./internal/service/snapshots/chart -update` writes this page. What each\n" +
	"member of a definition does stands in [Metric graphs](snapshots.md).\n\n"

func title(g picture) string {
	if g.chart.Title == "" {
		return g.name
	}
	return g.chart.Title
}

// beside puts two pictures of one size next to each other.
func beside(a, b image.Image) image.Image {
	out := image.NewNRGBA(image.Rect(0, 0, 2*a.Bounds().Dx()+8, a.Bounds().Dy()))
	draw.Draw(out, a.Bounds(), a, image.Point{}, draw.Src)
	draw.Draw(out, b.Bounds().Add(image.Pt(a.Bounds().Dx()+8, 0)), b, image.Point{}, draw.Src)
	return out
}

func pixels(img image.Image) []byte {
	flat := image.NewNRGBA(img.Bounds())
	draw.Draw(flat, flat.Bounds(), img, image.Point{}, draw.Src)
	return flat.Pix
}

func sumOf(img image.Image) []byte {
	sum := sha256.Sum256(pixels(img))
	return sum[:8]
}

// compare holds a picture against its file.
func compare(t *testing.T, path string, img image.Image) {
	t.Helper()
	if *update {
		var buf bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&buf, img); err != nil {
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
	if !bytes.Equal(pixels(decode(t, want)), pixels(img)) {
		t.Errorf("%s is painted otherwise; look at it and run with -update if it is meant", path)
	}
}

func compareText(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != text {
		t.Errorf("%s is out of date (%v); look at the pictures and run with -update", path, err)
	}
}
