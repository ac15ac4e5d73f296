package pictures_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/articles"
	"stoa.dev/stoa/internal/service/articles/pictures"
)

func build(w *world.World, i *identity.Identity) module.Module {
	return articles.New(w, i, grants.New(w, i), articles.DefaultConfig()).Module()
}

// TestTheMonthIsCountedExactly: of many uploads at once as many are taken as fit, the
// counter is the sum of the pictures, and it is what a look at the user reads.
func TestTheMonthIsCountedExactly(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build, func(t *testing.T, h *identitytest.Server) {
		ctx := t.Context()
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 10, 10))); err != nil {
			t.Fatal(err)
		}
		size := int64(b.Len())
		const uploads, fit = 24, 7
		p := pictures.New(h.World, size*fit+size/2)
		user := h.User("ada").ID
		var taken atomic.Int64
		var group sync.WaitGroup
		for range uploads {
			group.Go(func() {
				if _, err := p.Upload(ctx, user, "image/png", b.Bytes()); err == nil {
					taken.Add(1)
				}
			})
		}
		group.Wait()
		left, err := p.Remaining(ctx, user)
		if err != nil || taken.Load() != fit || left != size/2 {
			t.Errorf("%d of %d were taken, %d bytes are left, %v; want %d and %d", taken.Load(), uploads, left, err, fit, size/2)
		}
		var rows, counted int64
		err = h.World.DB.QueryRow(ctx, `SELECT CAST(SUM(bytes) AS BIGINT),
			(SELECT CAST(SUM(bytes) AS BIGINT) FROM articles_picture_months) FROM articles_pictures`).Scan(&rows, &counted)
		if err != nil || rows != counted || rows != size*fit {
			t.Errorf("the pictures have %d bytes, %d are counted, %v; want %d", rows, counted, err, size*fit)
		}
		// The rows of pictures are not read: a look costs the same however many there are.
		if _, err := h.World.DB.Exec(ctx, `DELETE FROM articles_pictures`); err != nil {
			t.Fatal(err)
		}
		if again, err := p.Remaining(ctx, user); err != nil || again != left {
			t.Errorf("without the rows %d bytes are left, %v; want %d", again, err, left)
		}
		if _, err := p.Upload(ctx, user, "image/png", b.Bytes()); err == nil {
			t.Error("a picture that does not fit was taken")
		}
	})
}

// TestKeepPaths: addresses of pictures here become paths, others stay, and how many are
// looked for is bounded.
func TestKeepPaths(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build, func(t *testing.T, h *identitytest.Server) {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 10, 10))); err != nil {
			t.Fatal(err)
		}
		p := pictures.New(h.World, 1<<20)
		made, err := p.Upload(t.Context(), h.User("ada").ID, "image/png", b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		shown := func(base, id string) string { return `<img src="` + base + pictures.Path + "/" + id + `">` }
		var others strings.Builder
		for n := range 600 {
			others.WriteString(shown("https://elsewhere.example", fmt.Sprintf("%032x", n)))
		}
		mine, path := shown("http://127.0.0.1:1", made.ID), shown("", made.ID)
		for name, row := range map[string][2]string{
			"here":     {mine + mine, path + path},
			"first":    {mine + others.String(), path + others.String()},
			"too many": {others.String() + mine, others.String() + mine},
		} {
			if got, err := p.KeepPaths(t.Context(), row[0]); err != nil || got != row[1] {
				t.Errorf("%s: %v, %.100q … %.100q", name, err, got, got[max(0, len(got)-100):])
			}
		}
	})
}
