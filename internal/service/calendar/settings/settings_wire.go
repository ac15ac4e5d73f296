package settings

import (
	"fmt"

	"stoa.dev/stoa/internal/platform/dialect"
)

// Settings is Settings of the contract.
type Settings struct {
	Kind          string     `json:"kind"`
	ETag          string     `json:"etag"`
	NextPageToken string     `json:"nextPageToken,omitempty"`
	NextSyncToken string     `json:"nextSyncToken,omitempty"`
	Items         []*Setting `json:"items"`
}

// Tag is the entity tag.
func (l *Settings) Tag() string { return l.ETag }

// Setting is Setting of the contract; a value is always text.
type Setting struct {
	Kind  string `json:"kind"`
	ETag  string `json:"etag"`
	ID    string `json:"id"`
	Value string `json:"value"`
}

// Tag is the entity tag.
func (l *Setting) Tag() string { return l.ETag }

func (u *UserSettings) toWire(r row) *Setting {
	id := r.id
	if id == u.dialect.NeutralOf(dialect.SettingAutoConference) {
		id = u.dialect.Says(dialect.SettingAutoConference)
	}
	return &Setting{Kind: "calendar#setting", ETag: `"` + etagNumber(r.seq) + `"`, ID: id, Value: r.value}
}

// etagNumber is a number as entity tags write it, with three digits at least.
func etagNumber(seq int64) string { return fmt.Sprintf("%03d", seq) }
