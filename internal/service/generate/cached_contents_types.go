package generate

import (
	"time"

	"stoa.dev/stoa/internal/service/generate/api"
)

// Cache is content that many requests share as the start of their prompt.
type Cache struct {
	ID          string
	UserID      int64
	Model       string
	DisplayName string
	Prefix      CachePrefix
	Size        int64 // of the prefix, as it is stored
	Tokens      []api.ModalityCount
	CreatedAt   time.Time
	UpdatedAt   time.Time
	ExpiresAt   time.Time
}

// CachePrefix is the part of a request that a cache stands for.
type CachePrefix struct {
	Contents          []api.Content   `json:"contents,omitempty"`
	SystemInstruction *api.Content    `json:"systemInstruction,omitempty"`
	Tools             []api.Tool      `json:"tools,omitempty"`
	ToolConfig        *api.ToolConfig `json:"toolConfig,omitempty"`
}
