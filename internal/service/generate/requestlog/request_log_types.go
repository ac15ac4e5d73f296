package requestlog

import (
	"encoding/json"
	"time"
)

// Entry is one stored request with its answer.
type Entry struct {
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
