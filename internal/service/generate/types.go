package generate

import (
	"encoding/json"
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

// LogEntry is one stored request with its answer.
type LogEntry struct {
	ID     int64  `json:"id"`
	UserID int64  `json:"user_id"`
	KeyID  int64  `json:"key_id"`
	Model  string `json:"model"`
	// Asked and Said are the first words of both, for lists.
	Asked     string          `json:"-"`
	Said      string          `json:"-"`
	Request   json.RawMessage `json:"request"`
	Response  json.RawMessage `json:"response"`
	CreatedAt time.Time       `json:"created_at"`
	ExpiresAt time.Time       `json:"expires_at"`
}
