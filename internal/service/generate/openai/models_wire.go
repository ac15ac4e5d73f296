package openai

import (
	"strings"

	"stoa.dev/stoa/internal/service/generate/api"
)

// Model is a model in a list.
type Model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

// ModelList is all models.
type ModelList struct {
	Object string  `json:"object"`
	Data   []Model `json:"data"`
}

// ModelOf is a model under the id that it was asked for. Models have no day of
// their own: created is always the same.
func ModelOf(id string, m api.Model) Model {
	return Model{ID: id, Object: "model", OwnedBy: "stoa-" + m.Backend}
}

// ModelsOf is a list of models.
func ModelsOf(models []api.Model) *ModelList {
	out := &ModelList{Object: "list", Data: []Model{}}
	for _, m := range models {
		out.Data = append(out.Data, ModelOf(m.ID, m))
	}
	return out
}

// KnownID reports whether clients of this form know a model's id by heart.
func KnownID(id string) bool {
	for _, prefix := range []string{"gpt-", "chatgpt-", "o1", "o3", "o4-", "text-embedding-"} {
		if strings.HasPrefix(id, prefix) {
			return true
		}
	}
	return false
}
