package generate

import (
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/openai"
)

// The methods of models, as supportedGenerationMethods lists them.
const (
	methodGenerate   = "generateContent"
	methodStream     = "streamGenerateContent"
	methodCount      = "countTokens"
	methodCache      = "createCachedContent"
	methodEmbed      = "embedContent"
	methodBatchEmbed = "batchEmbedContents"
	methodAsyncEmbed = "asyncBatchEmbedContent"
	methodBatch      = "batchGenerateContent"
)

func supportedMethods(m api.Model) []string {
	if m.Embeddings {
		return []string{methodEmbed, methodBatchEmbed, methodAsyncEmbed, methodCount}
	}
	return []string{methodGenerate, methodStream, methodCount, methodCache, methodBatch}
}

// modelVersion is what the member modelVersion says.
func modelVersion(m api.Model) string {
	if m.Version != "" {
		return m.Version
	}
	return m.ID
}

// Models are those that were pulled, so that the script answers until there is
// one, and the configured ones in their order.
func (s *Service) Models() []api.Model { return s.served.Load().models }

// backend answers for a model, which may have been removed since the request found it.
func (s *Service) backend(m api.Model) Backend {
	if b := s.served.Load().backends[m.ID]; b != nil {
		return b
	}
	return removedModel{}
}

// Model finds a model that has the method. Ids of the family that are not
// configured are answered by the first model that can, unless any_model is off.
func (s *Service) Model(id, method string) (api.Model, error) {
	can := func(m api.Model) bool { return method == "" || slices.Contains(supportedMethods(m), method) }
	for _, m := range s.Models() {
		if m.ID == id {
			if can(m) {
				return m, nil
			}
			return m, errNoModel(id, method)
		}
	}
	if s.config.AnyModel && s.inFamily(id) {
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
	return api.Model{}, errNoModel(id, method)
}

// inFamily reports whether clients know an id by heart: those with the family's
// prefix, names of embedding models, and those of the other common form.
func (s *Service) inFamily(id string) bool {
	_, ok := s.world.Dialect.CutPrefix(dialect.ModelIDPrefix, id)
	return ok || strings.Contains(id, "embedding") || openai.KnownID(id)
}
