package chart_test

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/platform/draw"
	"stoa.dev/stoa/internal/service/snapshots/chart"
)

var update = flag.Bool("update", false, "rewrite the golden pictures")

func newPainter(t testing.TB) *chart.Painter {
	t.Helper()
	s, err := draw.NewRenderer()
	if err != nil {
		t.Fatal(err)
	}
	return chart.NewPainter(s)
}

// Every kind of chart is compared with a picture that was looked at, pixel
// by pixel and without tolerance.
func TestGolden(t *testing.T) {
	t.Parallel()
	p := newPainter(t)
	for _, g := range gallery() {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			got, err := p.PNG(g.chart)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", g.name+".png")
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := pixelDiff(t, got, want); diff != "" {
				t.Errorf("%s: %s; look at it and run with -update if it is meant", path, diff)
			}
		})
	}
}

// Equal charts give equal bytes, also from another painter and at once.
func TestEqualChartsEqualBytes(t *testing.T) {
	t.Parallel()
	first, second := newPainter(t), newPainter(t)
	want, err := first.PNG(markersChart())
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for _, p := range []*chart.Painter{first, second, second} {
		group.Go(func() {
			got, err := p.PNG(markersChart())
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("another picture than the first, error %v", err)
			}
		})
	}
	group.Wait()
}

// pixelDiff names the first differing pixel.
func pixelDiff(t *testing.T, got, want []byte) string {
	t.Helper()
	if bytes.Equal(got, want) {
		return ""
	}
	a, b := decode(t, got), decode(t, want)
	if a.Bounds() != b.Bounds() {
		return fmt.Sprintf("size %v, want %v", a.Bounds(), b.Bounds())
	}
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			r0, g0, b0, _ := a.At(x, y).RGBA()
			r1, g1, b1, _ := b.At(x, y).RGBA()
			if r0 != r1 || g0 != g1 || b0 != b1 {
				return fmt.Sprintf("pixel %d,%d is %02x%02x%02x, want %02x%02x%02x", x, y, r0>>8, g0>>8, b0>>8, r1>>8,
					g1>>8, b1>>8)
			}
		}
	}
	return ""
}

func decode(t *testing.T, b []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func BenchmarkPNG(b *testing.B) {
	p := newPainter(b)
	c := hour("", line(1440, 3))
	c.Width, c.Height = 800, 400
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.PNG(c); err != nil {
			b.Fatal(err)
		}
	}
}
