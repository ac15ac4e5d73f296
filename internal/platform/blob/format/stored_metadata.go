package format

import (
	"encoding/hex"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/blob"
)

// Meta is what is kept beside the bytes.
type Meta struct {
	Key         string    `json:"key"`
	Size        int64     `json:"size"`
	SHA256      string    `json:"sha256"`
	ContentType string    `json:"content_type,omitempty"`
	Modified    time.Time `json:"modified"`
	Expires     time.Time `json:"expires,omitzero"`
}

// ToMeta is what is kept of an object.
func ToMeta(i blob.Info) Meta {
	return Meta{i.Key, i.Size, hex.EncodeToString(i.SHA256[:]), i.ContentType, i.Modified, i.Expires}
}

// Info is the object again.
func (m Meta) Info() (blob.Info, error) {
	i := blob.Info{Key: m.Key, Size: m.Size, ContentType: m.ContentType, Modified: m.Modified, Expires: m.Expires}
	sum, err := hex.DecodeString(m.SHA256)
	if err != nil || len(sum) != len(i.SHA256) {
		return blob.Info{}, fmt.Errorf("%w: %s has no hash", blob.ErrDamaged, m.Key)
	}
	copy(i.SHA256[:], sum)
	return i, nil
}
