package chart_test

import (
	"bytes"
	"flag"
	"image"
	"image/png"
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
