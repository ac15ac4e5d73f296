package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// pictureStream uploads pictures, whose bytes lie in the bucket.
type pictureStream struct {
	client *client
	sent   int
	mu     sync.Mutex
	acked  map[string]int // by address, the number of the picture
}

func (s *pictureStream) label() string       { return "pictures" }
func (s *pictureStream) pace() time.Duration { return 250 * time.Millisecond }

// numbered draws a picture that is like no other.
func numbered(number int) string {
	m := image.NewNRGBA(image.Rect(0, 0, 8, 8))
	for i := range 24 {
		if number>>i&1 == 1 {
			m.Set(i%8, i/8, color.NRGBA{R: 255, A: 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.String()
}

func (s *pictureStream) write(ctx context.Context) (bool, error) {
	s.sent++
	status, content := s.client.send(ctx, http.MethodPost, "/api/v2/pictures", numbered(s.sent))
	if status != http.StatusCreated {
		return false, nil
	}
	var made struct{ URL string }
	if err := json.Unmarshal(content, &made); err != nil {
		return false, err
	}
	at, err := url.Parse(made.URL)
	if err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acked[at.Path] = s.sent
	return true, nil
}

func (s *pictureStream) mark() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]int{}
	for path, number := range s.acked {
		all[path] = number
	}
	return all
}

func (s *pictureStream) audit(ctx context.Context) (verdict, error) {
	return s.compare(ctx, s.client, s.mark())
}

func (s *pictureStream) compare(ctx context.Context, c *client, acked map[string]int) (verdict, error) {
	v := verdict{acked: len(acked)}
	for path, number := range acked {
		status, content, err := c.read(ctx, path)
		if err != nil {
			return v, err
		}
		if status != http.StatusOK || !samePicture(string(content), numbered(number)) {
			v.lost++
			fmt.Printf("picture %d at %s: %d, %d bytes\n", number, path, status, len(content))
		}
	}
	return v, nil
}

// samePicture compares pixels: the server may encode them anew.
func samePicture(a, b string) bool {
	x, err1 := png.Decode(bytes.NewReader([]byte(a)))
	y, err2 := png.Decode(bytes.NewReader([]byte(b)))
	if err1 != nil || err2 != nil || x.Bounds() != y.Bounds() {
		return false
	}
	for i := range 64 {
		r1, g1, b1, a1 := x.At(i%8, i/8).RGBA()
		r2, g2, b2, a2 := y.At(i%8, i/8).RGBA()
		if r1 != r2 || g1 != g2 || b1 != b2 || a1 != a2 {
			return false
		}
	}
	return true
}
