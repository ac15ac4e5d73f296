package generate

import (
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/backend/local"
)

// modelJSON is Model of the public API.
type modelJSON struct {
	Name                       string   `json:"name"`
	BaseModelID                string   `json:"baseModelId,omitempty"`
	Version                    string   `json:"version"`
	DisplayName                string   `json:"displayName,omitempty"`
	Description                string   `json:"description,omitempty"`
	InputTokenLimit            int      `json:"inputTokenLimit"`
	OutputTokenLimit           int      `json:"outputTokenLimit,omitempty"`
	SupportedGenerationMethods []string `json:"supportedGenerationMethods"`
	Temperature                float64  `json:"temperature,omitempty"`
	MaxTemperature             float64  `json:"maxTemperature,omitempty"`
	TopP                       float64  `json:"topP,omitempty"`
	TopK                       int      `json:"topK,omitempty"`
	Thinking                   bool     `json:"thinking,omitempty"`
}

func modelToWire(id string, m api.Model) modelJSON {
	j := modelJSON{
		Name: "models/" + id, Version: modelVersion(m), DisplayName: m.DisplayName, Description: m.Description,
		InputTokenLimit: m.InputTokenLimit, OutputTokenLimit: m.OutputTokenLimit,
		SupportedGenerationMethods: supportedMethods(m), Thinking: m.Thinking,
	}
	if id != m.ID {
		j.BaseModelID = m.ID
	}
	if !m.Embeddings {
		j.Temperature, j.MaxTemperature = local.DefaultTemperature, 2
		j.TopP, j.TopK = local.DefaultTopP, local.DefaultTopK
	}
	return j
}
