package pictures_test

import (
	"bytes"
	"image/png"
	"testing"

	"stoa.dev/stoa/internal/service/articles/pictures"
)

// TestDraw: the same name is drawn the same, mirrored, and another name differently.
func TestDraw(t *testing.T) {
	t.Parallel()
	draw := func(user int64) []byte {
		b, err := pictures.Draw(pictures.Seed(user))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	first := draw(1)
	if !bytes.Equal(first, draw(1)) || bytes.Equal(first, draw(2)) {
		t.Error("a picture does not depend on its name alone")
	}
	p, err := png.Decode(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	size := p.Bounds().Dx()
	for y := range size {
		for x := range size {
			if p.At(x, y) != p.At(size-1-x, y) {
				t.Fatalf("pixel %d, %d is not mirrored", x, y)
			}
		}
	}
	if len(pictures.Seed(1)) != 16 || pictures.Seed(1) == pictures.Seed(2) {
		t.Errorf("names %q and %q", pictures.Seed(1), pictures.Seed(2))
	}
}
