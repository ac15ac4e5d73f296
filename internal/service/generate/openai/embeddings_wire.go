package openai

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"

	"stoa.dev/stoa/internal/service/generate/api"
)

// MaxInputs is how many texts one request may embed.
const MaxInputs = 2048

// EmbeddingsRequest is the body of embeddings.
type EmbeddingsRequest struct {
	Model          string          `json:"model"`
	Input          EmbeddingsInput `json:"input"`
	Dimensions     *int            `json:"dimensions"`
	EncodingFormat string          `json:"encoding_format"`
	User           string          `json:"user"`
}

// EmbeddingsInput is texts, or texts that the caller has already cut into tokens
// of the vocabulary cl100k_base.
type EmbeddingsInput struct {
	Texts  []string
	Tokens [][]uint
}

// UnmarshalJSON takes a text, texts, tokens and lists of tokens.
func (i *EmbeddingsInput) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		i.Texts = []string{""}
		return json.Unmarshal(b, &i.Texts[0])
	}
	if json.Unmarshal(b, &i.Texts) == nil {
		return nil
	}
	i.Texts = nil
	var one []uint
	if json.Unmarshal(b, &one) == nil {
		i.Tokens = [][]uint{one}
		return nil
	}
	return json.Unmarshal(b, &i.Tokens)
}

// Check refuses what cannot be embedded.
func (r *EmbeddingsRequest) Check() error {
	if n := len(r.Input.Texts) + len(r.Input.Tokens); n == 0 || n > MaxInputs {
		return api.ErrInvalidField("input", "must hold 1 to %d texts, not %d", MaxInputs, n)
	}
	switch r.EncodingFormat {
	case "", "float", "base64":
		return nil
	}
	return api.ErrInvalidField("encoding_format", "%q is not one of float and base64", r.EncodingFormat)
}

// EmbeddingList is the answer to a request for embeddings.
type EmbeddingList struct {
	Object string          `json:"object"`
	Data   []embeddingItem `json:"data"`
	Model  string          `json:"model"`
	Usage  embeddingUsage  `json:"usage"`
}

type embeddingItem struct {
	Object    string `json:"object"`
	Index     int    `json:"index"`
	Embedding any    `json:"embedding"`
}

type embeddingUsage struct {
	PromptTokens int `json:"prompt_tokens"`
	TotalTokens  int `json:"total_tokens"`
}

// Answer writes vectors in the encoding that was asked for.
func (r *EmbeddingsRequest) Answer(vectors [][]float32, model string, tokens int) *EmbeddingList {
	out := &EmbeddingList{
		Object: "list", Model: model, Data: []embeddingItem{}, Usage: embeddingUsage{tokens, tokens},
	}
	for i, v := range vectors {
		item := embeddingItem{Object: "embedding", Index: i, Embedding: v}
		if r.EncodingFormat == "base64" {
			item.Embedding = packed(v)
		}
		out.Data = append(out.Data, item)
	}
	return out
}

// packed is a vector as base64 of little-endian numbers of 32 bits.
func packed(v []float32) string {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(b)
}
