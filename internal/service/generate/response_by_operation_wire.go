package generate

import (
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/batches"
)

type modelsJSON struct {
	Models        []modelJSON `json:"models"`
	NextPageToken string      `json:"nextPageToken,omitempty"`
}

type filesJSON struct {
	Files         []fileJSON `json:"files,omitempty"`
	NextPageToken string     `json:"nextPageToken,omitempty"`
}

type cachesJSON struct {
	CachedContents []cacheJSON `json:"cachedContents,omitempty"`
	NextPageToken  string      `json:"nextPageToken,omitempty"`
}

type embedJSON struct {
	Embedding     embeddingJSON  `json:"embedding"`
	UsageMetadata embedUsageJSON `json:"usageMetadata"`
	ModelVersion  string         `json:"modelVersion"`
}

type batchEmbedJSON struct {
	Embeddings    []embeddingJSON `json:"embeddings"`
	UsageMetadata embedUsageJSON  `json:"usageMetadata"`
	ModelVersion  string          `json:"modelVersion"`
}

type tokenCountJSON struct {
	TotalTokens             int                 `json:"totalTokens"`
	CachedContentTokenCount int                 `json:"cachedContentTokenCount,omitempty"`
	PromptTokensDetails     []api.ModalityCount `json:"promptTokensDetails"`
	CacheTokensDetails      []api.ModalityCount `json:"cacheTokensDetails,omitempty"`
}

// answers are what the operations answer with.
func answers() map[string]any {
	return map[string]any{
		"models.generateContent": api.Response{}, "models.countTokens": tokenCountJSON{},
		"models.embedContent": embedJSON{}, "models.batchEmbedContents": batchEmbedJSON{},
		"models.batchGenerateContent": batches.OperationJSON{}, "models.asyncBatchEmbedContent": batches.OperationJSON{},
		"batches.list": batches.ListJSON{}, "batches.get": batches.OperationJSON{},
		"models.list": modelsJSON{}, "models.get": modelJSON{},
		"files.list": filesJSON{}, "files.get": fileJSON{},
		"cachedContents.create": cacheJSON{}, "cachedContents.list": cachesJSON{},
		"cachedContents.get": cacheJSON{}, "cachedContents.patch": cacheJSON{},
	}
}
