package generate

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"unicode"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
)

// EmbedRequest is one text to embed.
type EmbedRequest struct {
	Model                string  `json:"model"`
	Content              Content `json:"content"`
	TaskType             Enum    `json:"taskType"`
	Title                string  `json:"title"`
	OutputDimensionality *int    `json:"outputDimensionality"`
}

// maxBatch is how many texts one call may embed.
const maxBatch = 100

// Embed gives a vector for each request, in their order.
func (s *Service) Embed(ctx context.Context, caller *identity.Caller, id string, requests []EmbedRequest) ([][]float32, error) {
	m, err := s.Model(id, methodEmbed)
	if err != nil {
		return nil, err
	}
	if len(requests) == 0 || len(requests) > maxBatch {
		return nil, errInvalid("requests", "must hold 1 to %d requests, not %d", maxBatch, len(requests))
	}
	place, err := s.counting(ctx, ownerOf(caller), embedBytes(requests))
	if err != nil {
		return nil, err
	}
	defer place.Release()
	var texts []string
	tokens := 0
	for i := range requests {
		t, n, err := s.embeddable(ctx, m, id, &requests[i], fmt.Sprintf("requests[%d]", i))
		if err != nil {
			return nil, err
		}
		texts, tokens = append(texts, t), tokens+n
	}
	if err := s.charge(ctx, caller, m, tokens); err != nil {
		return nil, err
	}
	vectors, err := s.backend(m).Embed(ctx, ownerOf(caller), m, texts)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(requests) {
		return nil, errUnavailable(nil, "the backend gave %d vectors for %d texts", len(vectors), len(requests))
	}
	for i, r := range requests {
		if r.OutputDimensionality != nil && *r.OutputDimensionality < len(vectors[i]) {
			vectors[i] = unit(vectors[i][:*r.OutputDimensionality])
		}
	}
	return vectors, s.spend(ctx, caller, m, Usage{PromptTokenCount: tokens})
}

// embedBytes is how much text is to be counted.
func embedBytes(requests []EmbedRequest) (n int) {
	for _, r := range requests {
		n += len(r.Title) + textBytes(r.Content)
	}
	return n
}

// embeddable checks one request and gives its text.
func (s *Service) embeddable(ctx context.Context, m ModelConfig, id string, r *EmbedRequest, field string) (string, int, error) {
	if r.Model != "" && modelID(r.Model) != id {
		return "", 0, errInvalid(field+".model", "%q is not the model of the address", r.Model)
	}
	if err := r.Content.check(field + ".content"); err != nil {
		return "", 0, err
	}
	for _, part := range r.Content.Parts {
		if part.Text == nil {
			return "", 0, errInvalid(field+".content", "only text can be embedded")
		}
	}
	if err := resolveInto(&r.TaskType, taskTypes(), field+".taskType"); err != nil {
		return "", 0, err
	}
	body := plainText(r.Content.Parts)
	if r.Title != "" {
		if r.TaskType != "RETRIEVAL_DOCUMENT" {
			return "", 0, errInvalid(field+".title", "is only for the task type RETRIEVAL_DOCUMENT")
		}
		body = r.Title + "\n" + body
	}
	if d := r.OutputDimensionality; d != nil && (*d < 1 || m.Dimensions > 0 && *d > m.Dimensions) {
		return "", 0, errInvalid(field+".outputDimensionality", "must be 1 to %d, not %d", m.Dimensions, *d)
	}
	n, err := s.counter(m).count(ctx, body, m.InputTokenLimit)
	if err == nil && n > m.InputTokenLimit {
		err = errInvalid(field+".content", "has more than the %d tokens that the model takes", m.InputTokenLimit)
	}
	return body, n, err
}

// Embed hashes words, pairs of words and triples of letters into a vector of
// length one: texts that share them are near each other.
func (s *script) Embed(_ context.Context, _ budget.Owner, m ModelConfig, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = hashed(t, m.Dimensions)
	}
	return out, nil
}

func hashed(s string, dimensions int) []float32 {
	v := make([]float32, dimensions)
	add := func(feature string, weight float32) {
		h := fnv.New64a()
		h.Write([]byte(feature))
		sum := h.Sum64()
		if sum>>63 == 1 {
			weight = -weight
		}
		v[sum%uint64(dimensions)] += weight
	}
	before := ""
	for _, word := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		add("w "+word, 1)
		if before != "" {
			add("p "+before+" "+word, 0.5)
		}
		letters := []rune("<" + word + ">")
		for i := 0; i+3 <= len(letters); i++ {
			add("t "+string(letters[i:i+3]), 0.25)
		}
		before = word
	}
	if before == "" {
		add("empty", 1)
	}
	return unit(v)
}

// unit gives a vector the length one.
func unit(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return v
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
	return v
}
