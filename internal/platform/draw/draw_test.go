package draw_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/platform/draw"
)

func studio(t testing.TB) *draw.Renderer {
	t.Helper()
	s, err := draw.NewRenderer()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// render paints on white and decodes with the standard library.
func render(t testing.TB, s *draw.Renderer, w, h int, paint func(*draw.Canvas)) image.Image {
	t.Helper()
	b, err := s.Encode(w, h, draw.RGB(0xffffff), paint)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// ink is how dark a pixel is, 0 (white) to 255 (black).
func ink(img image.Image, x, y int) int {
	return 255 - int(color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y)
}

// wave is a polyline of n points across a w by h picture.
func wave(n, w, h int) []draw.Point {
	pts := make([]draw.Point, n)
	for i := range pts {
		x := float64(i) / float64(n-1)
		pts[i] = draw.Point{
			X: x * float64(w), Y: float64(h)/2 + math.Sin(x*25)*float64(h)/4 + math.Sin(x*1777)*float64(h)/16,
		}
	}
	return pts
}

// scene uses every primitive.
func scene(s *draw.Renderer, w, h int) func(*draw.Canvas) {
	return func(c *draw.Canvas) {
		c.FillRect(draw.Rect{X0: 5, Y0: 5, X1: w / 2, Y1: h - 7}, draw.RGB(0xffcc00).Alpha(90))
		c.Fill(append(wave(50, w, h), draw.Point{X: float64(w), Y: float64(h)}, draw.Point{X: 0, Y: float64(h)}),
			draw.RGB(0x2266aa).Alpha(80))
		c.Stroke(wave(400, w, h), draw.Pen{Width: 1.5, Color: draw.RGB(0x204080)})
		c.Stroke(wave(20, w, h), draw.Pen{Width: 4, Color: draw.RGB(0xcc2244).Alpha(128), Dash: []float64{7, 5}})
		c.FillBox(10.3, 10.7, 31.2, 40.9, draw.RGB(0x117733))
		c.Text(s.Face(draw.Bold, 23), 12, float64(h)/2, "Stoa, Größe Ωй", draw.RGB(0x101010), draw.Left)
	}
}

func TestStrokeCoverage(t *testing.T) {
	t.Parallel()
	black := draw.RGB(0)
	img := render(t, studio(t), 40, 40, func(c *draw.Canvas) {
		c.Stroke([]draw.Point{{X: 5, Y: 10.5}, {X: 35, Y: 10.5}}, draw.Pen{Width: 1, Color: black})
		c.Stroke([]draw.Point{{X: 5, Y: 20}, {X: 35, Y: 20}}, draw.Pen{Width: 1, Color: black})
		// Forth and back over itself: the paint must not add up.
		c.Stroke([]draw.Point{{X: 5, Y: 30}, {X: 35, Y: 30}, {X: 5, Y: 30}}, draw.Pen{
			Width: 1, Color: black.Alpha(128),
		})
	})
	for _, c := range []struct {
		name         string
		x, y, lo, hi int
	}{
		{"a line on a pixel row is solid", 20, 10, 250, 255},
		{"and stays in its row", 20, 11, 0, 3},
		{"a line between rows is shared, above", 20, 19, 120, 135},
		{"a line between rows is shared, below", 20, 20, 120, 135},
		{"a translucent line is even where it returns", 20, 29, 58, 70},
		{"nothing beyond the cap", 37, 10, 0, 0},
	} {
		if got := ink(img, c.x, c.y); got < c.lo || got > c.hi {
			t.Errorf("%s: ink = %d, want %d to %d", c.name, got, c.lo, c.hi)
		}
	}
}

// The ink of a filled rectangle is its area, wherever its edges fall.
func TestFillArea(t *testing.T) {
	t.Parallel()
	s := studio(t)
	rapid.Check(t, func(rt *rapid.T) {
		x0, y0 := rapid.Float64Range(1, 10).Draw(rt, "x"), rapid.Float64Range(1, 10).Draw(rt, "y")
		w, h := rapid.Float64Range(0.5, 18).Draw(rt, "w"), rapid.Float64Range(0.5, 18).Draw(rt, "h")
		img := render(t, s, 32, 32, func(c *draw.Canvas) { c.FillBox(x0, y0, x0+w, y0+h, draw.RGB(0)) })
		sum := 0.0
		for y := range 32 {
			for x := range 32 {
				sum += float64(ink(img, x, y)) / 255
			}
		}
		// One step of 1/256 per edge pixel is the rounding we allow.
		if tolerance := 2*(w+h)/128 + 0.3; math.Abs(sum-w*h) > tolerance {
			rt.Fatalf("ink = %.3f, want the area %.3f ± %.3f", sum, w*h, tolerance)
		}
	})
}

// Strips are an economy of memory, never visible.
func TestStripsAreInvisible(t *testing.T) {
	t.Parallel()
	whole, strips := studio(t), studio(t)
	strips.SetWhole(160 * 7)
	a := render(t, whole, 160, 120, scene(whole, 160, 120))
	b := render(t, strips, 160, 120, scene(strips, 160, 120))
	for y := range 120 {
		for x := range 160 {
			r0, g0, b0, _ := a.At(x, y).RGBA()
			r1, g1, b1, _ := b.At(x, y).RGBA()
			if r0 != r1 || g0 != g1 || b0 != b1 {
				t.Fatalf("pixel %d,%d differs: %v, want %v", x, y, b.At(x, y), a.At(x, y))
			}
		}
	}
}

func TestEqualInputEqualBytes(t *testing.T) {
	t.Parallel()
	first, second := studio(t), studio(t)
	var want []byte
	for i, s := range []*draw.Renderer{first, first, second} {
		got, err := s.Encode(300, 200, draw.RGB(0xffffff), scene(s, 300, 200))
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want = got
		} else if !bytes.Equal(got, want) {
			t.Fatalf("picture %d differs from the first", i)
		}
	}
}

// No geometry, however odd, panics or paints outside the clip.
func TestAnyGeometry(t *testing.T) {
	t.Parallel()
	s := studio(t)
	number := rapid.OneOf(rapid.Float64Range(-50, 100), rapid.SampledFrom([]float64{
		math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, 1 << 40,
	}))
	rapid.Check(t, func(rt *rapid.T) {
		pts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) draw.Point {
			return draw.Point{X: number.Draw(t, "x"), Y: number.Draw(t, "y")}
		}), 1, 8).Draw(rt, "points")
		width := rapid.Float64Range(-1, 30).Draw(rt, "width")
		img := render(t, s, 40, 30, func(c *draw.Canvas) {
			defer c.Clip(draw.Rect{X0: 10, Y0: 10, X1: 30, Y1: 20})()
			c.Stroke(pts, draw.Pen{Width: width, Color: draw.RGB(0)})
			c.Fill(pts, draw.RGB(0))
		})
		for y := range 30 {
			for x := range 40 {
				if inside := x >= 10 && x < 30 && y >= 10 && y < 20; !inside && ink(img, x, y) != 0 {
					rt.Fatalf("pixel %d,%d outside the clip has ink", x, y)
				}
			}
		}
	})
}

func TestSizes(t *testing.T) {
	t.Parallel()
	s := studio(t)
	for _, side := range [][2]int{{0, 10}, {10, 0}, {-1, 5}, {draw.MaxSide + 1, 5}} {
		if _, err := s.Encode(side[0], side[1], draw.RGB(0), func(*draw.Canvas) {}); err == nil {
			t.Errorf("Encode(%d, %d) succeeded, want an error", side[0], side[1])
		}
	}
	img := render(t, s, 2000, 1500, func(c *draw.Canvas) { c.FillRect(c.Bounds(), draw.RGB(0x123456)) })
	if img.Bounds() != image.Rect(0, 0, 2000, 1500) {
		t.Errorf("bounds = %v, want 2000 by 1500", img.Bounds())
	}
}

func TestFit(t *testing.T) {
	t.Parallel()
	f := studio(t).Face(draw.Regular, 12)
	long := "a very long series name that cannot fit"
	got := f.Fit(long, 80)
	if f.Width(got) > 80 || got == long || got == "" {
		t.Errorf("Fit = %q of width %.1f, want a shortened text within 80", got, f.Width(got))
	}
	if got := f.Fit("short", 80); got != "short" {
		t.Errorf("Fit = %q, want short", got)
	}
}

func TestParseColor(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]draw.Color{"#fff": draw.RGB(0xffffff), "#12aB9f": draw.RGB(0x12ab9f)} {
		if got, err := draw.ParseColor(in); err != nil || got != want {
			t.Errorf("ParseColor(%q) = %08x, %v, want %08x", in, got, err, want)
		}
	}
	for _, in := range []string{"", "fff", "#12", "#gggggg", "#12345"} {
		if _, err := draw.ParseColor(in); err == nil {
			t.Errorf("ParseColor(%q) succeeded, want an error", in)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	s := studio(b)
	pts := wave(1440, 800, 400)
	for b.Loop() {
		_, _ = s.Encode(800, 400, draw.RGB(0xffffff), func(c *draw.Canvas) {
			c.Stroke(pts, draw.Pen{Width: 1.5, Color: draw.RGB(0x204080)})
		})
	}
}

// TestLongTexts: callers send whatever they like; what no picture can show is
// neither measured nor drawn.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	s := studio(t)
	face := s.Face(draw.Regular, 12)
	long := strings.Repeat("ä", 4<<20)
	if got, want := face.Width(long), face.Width(long[:16<<10]); got != want {
		t.Errorf("a text of 8 MB is %v wide, want %v, that of its start", got, want)
	}
	if got := face.Fit(long, 1e9); len(got) > 17<<10 || !strings.HasSuffix(got, "…") {
		t.Errorf("%d bytes fit, want the start and an ellipsis", len(got))
	}
	render(t, s, 10, 10, func(c *draw.Canvas) { c.Text(face, 0, 9, long, draw.RGB(0), draw.Left) })
}

// A rune that the typeface lacks is a box and not nothing; marks and joiners are
// part of their neighbours.
func TestMissingGlyphs(t *testing.T) {
	t.Parallel()
	r, err := draw.NewRenderer()
	if err != nil {
		t.Fatal(err)
	}
	f := r.Face(draw.Regular, 12)
	for _, c := range []struct {
		text string
		want float64
	}{{"温", 12}, {"🚀", 12}, {"ש", 7}, {"م", 7}, {"\u200d", 0}, {"\ufe0f", 0}, {"👍🏽", 12}, {"\u3000", 12}} {
		if got := f.Width(c.text); got != c.want {
			t.Errorf("%q is %g wide, want %g", c.text, got, c.want)
		}
	}
	paint := func(text string) []byte {
		b, err := r.Encode(40, 20, draw.RGB(0xffffff), func(c *draw.Canvas) {
			c.Text(f, 4, 16, text, draw.RGB(0), draw.Left)
		})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if string(paint("温")) == string(paint("")) {
		t.Error("a missing rune leaves nothing")
	}
}
