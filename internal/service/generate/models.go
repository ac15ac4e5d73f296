package generate

import (
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/dialect"
)

// The methods of models, as supportedGenerationMethods lists them.
const (
	methodGenerate   = "generateContent"
	methodStream     = "streamGenerateContent"
	methodCount      = "countTokens"
	methodCache      = "createCachedContent"
	methodEmbed      = "embedContent"
	methodBatchEmbed = "batchEmbedContents"
)

func (m ModelConfig) methods() []string {
	if m.Embeddings {
		return []string{methodEmbed, methodBatchEmbed, methodCount}
	}
	return []string{methodGenerate, methodStream, methodCount, methodCache}
}

// version is what modelVersion says.
func (m ModelConfig) version() string {
	if m.Version != "" {
		return m.Version
	}
	return m.ID
}

// Models are the configured models, in their order.
//
// Models that were pulled come first: the script answers until there is one.
func (s *Service) Models() []ModelConfig { return s.served.Load().models }

// backend answers for a model.
func (s *Service) backend(m ModelConfig) Backend { return s.served.Load().backends[m.ID] }

// Model finds a model that has the method. Ids of the family that are not
// configured are answered by the first model that can, unless any_model is off.
func (s *Service) Model(id, method string) (ModelConfig, error) {
	can := func(m ModelConfig) bool { return method == "" || slices.Contains(m.methods(), method) }
	for _, m := range s.Models() {
		if m.ID == id {
			if can(m) {
				return m, nil
			}
			return m, errNoModel(id, method)
		}
	}
	if s.config.AnyModel && s.family(id) {
		embeds := strings.Contains(id, "embedding")
		for _, m := range s.Models() {
			if m.Embeddings == embeds && can(m) {
				return m, nil
			}
		}
	}
	if method == "" {
		method = "get"
	}
	return ModelConfig{}, errNoModel(id, method)
}

// family tells ids that clients know by heart: those with the family's prefix,
// and names of embedding models.
func (s *Service) family(id string) bool {
	_, ok := s.world.Dialect.CutPrefix(dialect.ModelIDPrefix, id)
	return ok || strings.Contains(id, "embedding")
}

// modelID reads "models/ID" or "ID".
func modelID(name string) string { return strings.TrimPrefix(name, "models/") }
