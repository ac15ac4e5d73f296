package generate

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	_ "image/gif"  // sizes of pictures
	_ "image/jpeg" // sizes of pictures
	_ "image/png"  // sizes of pictures
	"strings"
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

// modalities are the kinds of media, in the order replies list them.
const (
	textTokens = iota
	imageKind
	videoKind
	audioKind
	documentKind
	kinds
)

// kindNames are the words of the API for them.
func kindNames() [kinds]string { return [kinds]string{"TEXT", "IMAGE", "VIDEO", "AUDIO", "DOCUMENT"} }

// weight is tokens by modality. Every request makes a few, so it is no map.
type weight [kinds]int

// weightOfText is that many tokens of text.
func weightOfText(n int) weight { return weight{textTokens: n} }

func (w weight) total() int {
	sum := 0
	for _, n := range w {
		sum += n
	}
	return sum
}

func (w *weight) add(o weight) {
	for modality, n := range o {
		w[modality] += n
	}
}

// details lists the modalities in a fixed order; never nil.
func (w weight) details() []ModalityCount {
	out := []ModalityCount{}
	for kind, name := range kindNames() {
		if w[kind] > 0 {
			out = append(out, ModalityCount{name, w[kind]})
		}
	}
	return out
}

// weightOfKind is that many tokens of a modality by its name.
func weightOfKind(name string, n int) (w weight) {
	for kind, known := range kindNames() {
		if known == name {
			w[kind] = n
		}
	}
	return w
}

func weightOf(details []ModalityCount) weight {
	var w weight
	for _, d := range details {
		w.add(weightOfKind(d.Modality, d.TokenCount))
	}
	return w
}

// counter counts the tokens of a text. It may stop where there are more than
// most.
type counter interface {
	count(ctx context.Context, text string, most int) (int, error)
}

// counter is the model's own vocabulary where there is one.
func (s *Service) counter(m ModelConfig) counter {
	if l, ok := s.backend(m).(*local); ok {
		return l
	}
	return s.tokens
}

// scale counts what a request weighs.
type scale struct {
	tokens counter
	// most is from where on nothing more need be counted.
	most int
	low  Enum // media resolution
	// file gives the weight of an uploaded file.
	file func(ctx context.Context, f *FileData) (weight, error)
}

func (c scale) text(ctx context.Context, s string) (weight, error) {
	n, err := c.tokens.count(ctx, s, c.most)
	return weightOfText(n), err
}

// contents weighs turns, system instruction and tools together, as far as most.
func (c scale) contents(ctx context.Context, contents []Content, system *Content, tools []Tool) (weight, error) {
	var total weight
	if system != nil {
		contents = append([]Content{*system}, contents...)
	}
	for _, content := range contents {
		for i := range content.Parts {
			w, err := c.part(ctx, &content.Parts[i])
			if err != nil {
				return weight{}, err
			}
			if total.add(w); total.total() > c.most {
				return total, nil
			}
		}
	}
	if len(tools) > 0 {
		declared, err := json.Marshal(tools)
		if err != nil {
			return weight{}, err
		}
		w, err := c.text(ctx, string(declared))
		if err != nil {
			return weight{}, err
		}
		total.add(w)
	}
	return total, nil
}

func (c scale) part(ctx context.Context, p *Part) (weight, error) {
	switch {
	case p.Text != nil:
		return c.text(ctx, *p.Text)
	case p.InlineData != nil:
		data, err := decodeBase64(p.InlineData.Data)
		if err != nil {
			return weight{}, errInvalid("inlineData.data", "is not base64")
		}
		return c.media(ctx, p.InlineData.MimeType, data, int64(len(data)))
	case p.FileData != nil:
		return c.file(ctx, p.FileData)
	}
	// Calls and results weigh what their JSON does.
	encoded, err := json.Marshal(p)
	if err != nil {
		return weight{}, err
	}
	return c.text(ctx, string(encoded))
}

// media weighs bytes; head may be only the start of size bytes.
func (c scale) media(ctx context.Context, mimeType string, head []byte, size int64) (weight, error) {
	kind, _, _ := strings.Cut(mimeType, "/")
	switch {
	case kind == "image":
		return weight{imageKind: c.image(head)}, nil
	case kind == "audio":
		return weight{audioKind: audioPerSecond * seconds(size, audioBytesSecond)}, nil
	case kind == "video":
		return weight{videoKind: videoPerSecond * seconds(size, videoBytesSecond)}, nil
	case strings.HasPrefix(mimeType, "application/pdf"):
		pages := bytes.Count(head, []byte("/Type /Page")) + bytes.Count(head, []byte("/Type/Page")) -
			bytes.Count(head, []byte("/Type /Pages")) - bytes.Count(head, []byte("/Type/Pages"))
		return weight{documentKind: imageTokens * max(1, pages)}, nil
	}
	return c.text(ctx, strings.ToValidUTF8(string(head), "\uFFFD"))
}

func seconds(size, rate int64) int { return int(max(1, (size+rate-1)/rate)) }

// image counts tiles; a picture of unknown size is one.
func (c scale) image(head []byte) int {
	switch c.low {
	case "MEDIA_RESOLUTION_LOW":
		return lowImage
	case "MEDIA_RESOLUTION_MEDIUM":
		return mediumImage
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(head))
	if err != nil || size.Width <= smallImage && size.Height <= smallImage {
		return imageTokens
	}
	across, down := (size.Width+tileSide-1)/tileSide, (size.Height+tileSide-1)/tileSide
	return imageTokens * max(1, across) * max(1, down)
}
