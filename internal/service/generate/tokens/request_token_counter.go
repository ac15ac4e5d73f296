package tokens

import (
	"bytes"
	"context"
	"encoding/json"
	picture "image"
	_ "image/gif"  // sizes of pictures
	_ "image/jpeg" // sizes of pictures
	_ "image/png"  // sizes of pictures
	"strings"

	"stoa.dev/stoa/internal/service/generate/api"
)

// What media weigh, by the yardsticks of the public documentation: a picture
// or tile and a page 258, a second of sound 32, a second of film 263. Without
// a decoder, seconds follow from the bytes at common rates.
const (
	imageTokens      = 258
	smallImage       = 384
	tileSide         = 768
	lowImage         = 64
	mediumImage      = 256
	audioPerSecond   = 32
	videoPerSecond   = 263
	audioBytesSecond = 16_000
	videoBytesSecond = 250_000
)

// Counter counts the tokens of a text. It may stop where there are more than
// limit.
type Counter interface {
	Count(ctx context.Context, text string, limit int) (int, error)
}

// RequestCounter counts what requests weigh.
type RequestCounter struct {
	Text Counter
	// Limit is from where on nothing more need be counted.
	Limit      int
	Resolution api.Enum // of media
	// File gives the tokens of an uploaded file.
	File func(ctx context.Context, f *api.FileData) (Counts, error)
}

func (c RequestCounter) text(ctx context.Context, s string) (Counts, error) {
	n, err := c.Text.Count(ctx, s, c.Limit)
	return OfText(n), err
}

// Contents counts turns, system instruction and tools together, up to Limit.
func (c RequestCounter) Contents(
	ctx context.Context, contents []api.Content, system *api.Content, tools []api.Tool,
) (total Counts, err error) {
	if system != nil {
		contents = append([]api.Content{*system}, contents...)
	}
	for _, content := range contents {
		for i := range content.Parts {
			n, err := c.Part(ctx, &content.Parts[i])
			if err != nil {
				return Counts{}, err
			}
			if total.Add(n); total.Total() > c.Limit {
				return total, nil
			}
		}
	}
	if len(tools) > 0 {
		n, err := c.encoded(ctx, tools)
		if err != nil {
			return Counts{}, err
		}
		total.Add(n)
	}
	return total, nil
}

// encoded counts what weighs as much as its JSON.
func (c RequestCounter) encoded(ctx context.Context, v any) (Counts, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return Counts{}, err
	}
	return c.text(ctx, string(text))
}

// Part counts one part.
func (c RequestCounter) Part(ctx context.Context, p *api.Part) (Counts, error) {
	switch {
	case p.Text != nil:
		return c.text(ctx, *p.Text)
	case p.InlineData != nil:
		data, err := api.DecodeBase64(p.InlineData.Data)
		if err != nil {
			return Counts{}, api.ErrInvalidField("inlineData.data", "is not base64")
		}
		return c.Media(ctx, p.InlineData.MimeType, data, int64(len(data)))
	case p.FileData != nil:
		return c.File(ctx, p.FileData)
	}
	return c.encoded(ctx, p)
}

// Media counts bytes; head may be only the start of size bytes.
func (c RequestCounter) Media(ctx context.Context, mimeType string, head []byte, size int64) (Counts, error) {
	switch Modality(mimeType) {
	case "IMAGE":
		return Counts{image: c.imageTokens(head)}, nil
	case "AUDIO":
		return Counts{audio: audioPerSecond * seconds(size, audioBytesSecond)}, nil
	case "VIDEO":
		return Counts{video: videoPerSecond * seconds(size, videoBytesSecond)}, nil
	case "DOCUMENT":
		pages := bytes.Count(head, []byte("/Type /Page")) + bytes.Count(head, []byte("/Type/Page")) -
			bytes.Count(head, []byte("/Type /Pages")) - bytes.Count(head, []byte("/Type/Pages"))
		return Counts{document: imageTokens * max(1, pages)}, nil
	}
	return c.text(ctx, strings.ToValidUTF8(string(head), "\uFFFD"))
}

func seconds(size, rate int64) int { return int(max(1, (size+rate-1)/rate)) }

// imageTokens counts tiles; a picture of unknown size is one.
func (c RequestCounter) imageTokens(head []byte) int {
	switch c.Resolution {
	case "MEDIA_RESOLUTION_LOW":
		return lowImage
	case "MEDIA_RESOLUTION_MEDIUM":
		return mediumImage
	}
	size, _, err := picture.DecodeConfig(bytes.NewReader(head))
	if err != nil || size.Width <= smallImage && size.Height <= smallImage {
		return imageTokens
	}
	across, down := (size.Width+tileSide-1)/tileSide, (size.Height+tileSide-1)/tileSide
	return imageTokens * max(1, across) * max(1, down)
}
