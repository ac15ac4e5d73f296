package pictures

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/articles/refusal"
)

// MaxBytes is the largest picture.
const MaxBytes = 10 << 20

// maxSide and maxPixels bound what a reader's browser unpacks.
const (
	maxSide   = 16_384
	maxPixels = 100_000_000
)

// idDigits make an id of 128 bits.
const idDigits = 32

// Pictures are those of one world.
type Pictures struct {
	world *world.World
	// monthly is how many bytes a user may upload in a month.
	monthly int64
}

// New makes them.
func New(w *world.World, monthly int64) *Pictures { return &Pictures{world: w, monthly: monthly} }

// Picture is one that was uploaded.
type Picture struct {
	ID        string
	Bytes     int64
	MediaType string
}

// Remaining is how many bytes the user may still upload this month.
func (p *Pictures) Remaining(ctx context.Context, user int64) (int64, error) {
	used, err := usedBytes(ctx, p.world.DB, user, month(p.now()))
	return max(0, p.monthly-used), err
}

func (p *Pictures) now() time.Time { return p.world.Clock.Now().UTC().Truncate(time.Microsecond) }

// month counts months since year 0.
func month(t time.Time) int64 { return int64(t.Year())*12 + int64(t.Month()) - 1 }

func blobKey(id string) string { return "articles/pictures/" + id }

// Upload keeps a picture. The bytes are stored first, so that every row has them.
func (p *Pictures) Upload(ctx context.Context, user int64, mediaType string, content []byte) (Picture, error) {
	if err := check(mediaType, content); err != nil {
		return Picture{}, err
	}
	out := Picture{ID: p.world.IDs.Hex(idDigits), Bytes: int64(len(content)), MediaType: mediaType}
	_, err := p.world.Blobs.Put(ctx, blobKey(out.ID), bytes.NewReader(content), blob.PutOptions{ContentType: mediaType})
	if err != nil {
		return Picture{}, fmt.Errorf("store picture: %w", err)
	}
	now := p.now()
	key := "articles/pictures/" + strconv.FormatInt(user, 10)
	err = p.world.DB.WriteKeyed(ctx, key, func(ctx context.Context, tx *database.Tx) error {
		fits, err := addBytes(ctx, tx, user, month(now), out.Bytes, p.monthly)
		if err != nil {
			return err
		}
		if !fits {
			used, err := usedBytes(ctx, tx, user, month(now))
			if err != nil {
				return err
			}
			return refusal.New(refusal.Forbidden, "The picture has %d bytes, and %d are left this month",
				out.Bytes, max(0, p.monthly-used))
		}
		return insertPicture(ctx, tx, out, user, now)
	})
	switch {
	case errors.Is(err, database.ErrUnknown):
		return Picture{}, err // the row may be there, and needs its bytes
	case err != nil:
		return Picture{}, errors.Join(err, p.world.Blobs.Delete(context.WithoutCancel(ctx), blobKey(out.ID)))
	}
	return out, nil
}

// Open gives the bytes of a picture.
func (p *Pictures) Open(ctx context.Context, id string) (blob.Reader, blob.Info, error) {
	if !hexID(id, idDigits) {
		return nil, blob.Info{}, refusal.Missing()
	}
	r, info, err := p.world.Blobs.Open(ctx, blobKey(id))
	if errors.Is(err, blob.ErrNotFound) {
		return nil, info, refusal.Missing()
	}
	return r, info, err
}

// Delete removes a picture of the user's. It still counts for its month. A picture
// whose bytes could not be removed can be deleted again.
func (p *Pictures) Delete(ctx context.Context, user int64, id string) error {
	content, _, err := p.Open(ctx, id)
	if err != nil {
		return err
	}
	if err := content.Close(); err != nil {
		return err
	}
	done, err := markDeleted(ctx, p.world.DB, id, user)
	if err != nil {
		return err
	}
	if !done {
		return refusal.Missing()
	}
	return p.world.Blobs.Delete(ctx, blobKey(id))
}

func hexID(id string, digits int) bool {
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(id) == digits
}

// check reads the head of a picture: what is not a picture is not shown as one.
func check(mediaType string, content []byte) error {
	var config image.Config
	var err error
	switch mediaType {
	case "image/png":
		config, err = png.DecodeConfig(bytes.NewReader(content))
	case "image/jpeg":
		config, err = jpeg.DecodeConfig(bytes.NewReader(content))
	case "image/gif":
		config, err = gif.DecodeConfig(bytes.NewReader(content))
	default:
		return refusal.New(refusal.BadRequest, "The body is not a picture in PNG, JPEG or GIF")
	}
	if err != nil {
		return refusal.New(refusal.BadRequest, "The picture cannot be read: %v", err)
	}
	if config.Width > maxSide || config.Height > maxSide || config.Width*config.Height > maxPixels {
		return refusal.New(refusal.BadRequest, "The picture has %d by %d pixels, which is too much",
			config.Width, config.Height)
	}
	return nil
}
