package tokens

import (
	"mime"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/service/generate/api"
)

// The modalities, in the order replies list them.
const (
	text = iota
	image
	video
	audio
	document
	modalities
)

// names are the words of the API for them.
func names() []string { return []string{"TEXT", "IMAGE", "VIDEO", "AUDIO", "DOCUMENT"} }

// Counts is tokens by modality. Every request makes a few, so it is not a map.
type Counts [modalities]int

// OfText is that many tokens of text.
func OfText(n int) Counts { return Counts{text: n} }

// OfModality is that many tokens of a modality by its name.
func OfModality(name string, n int) (c Counts) {
	if i := slices.Index(names(), name); i >= 0 {
		c[i] = n
	}
	return c
}

// FromDetails reads what Details wrote.
func FromDetails(details []api.ModalityCount) (c Counts) {
	for _, d := range details {
		c.Add(OfModality(d.Modality, d.TokenCount))
	}
	return c
}

// Total is the tokens of all modalities.
func (c Counts) Total() (sum int) {
	for _, n := range c {
		sum += n
	}
	return sum
}

// Add adds other counts to c.
func (c *Counts) Add(other Counts) {
	for i, n := range other {
		c[i] += n
	}
}

// Details lists the modalities in a fixed order; never nil.
func (c Counts) Details() []api.ModalityCount {
	out := []api.ModalityCount{}
	for i, name := range names() {
		if c[i] > 0 {
			out = append(out, api.ModalityCount{Modality: name, TokenCount: c[i]})
		}
	}
	return out
}

// Modality is the modality of a media type.
func Modality(mimeType string) string {
	kind, _, _ := strings.Cut(mimeType, "/")
	switch {
	case kind == "image", kind == "audio", kind == "video":
		return strings.ToUpper(kind)
	case strings.HasPrefix(mimeType, "application/pdf"):
		return "DOCUMENT"
	}
	return "TEXT"
}

// MediaType is a media type without its parameters.
func MediaType(s string) string {
	if t, _, err := mime.ParseMediaType(s); err == nil {
		return t
	}
	return s
}
