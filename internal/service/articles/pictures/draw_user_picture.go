package pictures

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strconv"
)

const (
	// seedDigits name a drawn picture.
	seedDigits = 16
	// squares is how many squares a drawn picture is wide and high, without its margin
	// of one, and squareSize how many pixels each of them is.
	squares    = 5
	squareSize = 20
)

// Seed names the drawn picture of a user.
func Seed(user int64) string {
	sum := sha256.Sum256(strconv.AppendInt([]byte("articles picture "), user, 10))
	return hex.EncodeToString(sum[:])[:seedDigits]
}

// Draw draws the picture with a name: a pattern whose right half mirrors the left
// one, in one of 256 colors.
func Draw(seed string) ([]byte, error) {
	sum := sha256.Sum256([]byte(seed))
	side := (squares + 2) * squareSize
	p := image.NewPaletted(image.Rect(0, 0, side, side), color.Palette{
		color.RGBA{R: 0xf0, G: 0xf0, B: 0xf0, A: 0xff},
		color.RGBA{R: 0x30 + sum[29]/2, G: 0x30 + sum[30]/2, B: 0x30 + sum[31]/2, A: 0xff},
	})
	ink := image.NewUniform(p.Palette[1])
	for y := range squares {
		for x := range squares {
			if sum[y*squares+min(x, squares-1-x)]&1 == 0 {
				continue
			}
			at := image.Pt((x+1)*squareSize, (y+1)*squareSize)
			draw.Draw(p, image.Rectangle{Min: at, Max: at.Add(image.Pt(squareSize, squareSize))}, ink, image.Point{}, draw.Src)
		}
	}
	var out bytes.Buffer
	err := png.Encode(&out, p)
	return out.Bytes(), err
}
