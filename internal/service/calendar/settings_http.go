package calendar

import (
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/calendar/queryparams"
)

func (s *Service) handleListSettings(r *route.Request, u user) (any, error) {
	q := queryparams.New(r)
	l := q.Page(queryparams.DefaultPageSize, queryparams.MaxPageSize)
	if q.Err() != nil {
		return nil, q.Err()
	}
	return answer(s.ListSettings(r.Context(), u, l))
}

func (s *Service) handleGetSetting(r *route.Request, u user) (any, error) {
	return answer(s.GetSetting(r.Context(), u, r.PathValue("setting")))
}

// settingsJSON is Settings of the contract.
type settingsJSON struct {
	Kind          string         `json:"kind"`
	ETag          string         `json:"etag"`
	NextPageToken string         `json:"nextPageToken,omitempty"`
	NextSyncToken string         `json:"nextSyncToken,omitempty"`
	Items         []*settingJSON `json:"items"`
}

func (l *settingsJSON) Tag() string { return l.ETag }

// settingJSON is Setting of the contract; a value is always text.
type settingJSON struct {
	Kind  string `json:"kind"`
	ETag  string `json:"etag"`
	ID    string `json:"id"`
	Value string `json:"value"`
}

func (l *settingJSON) Tag() string { return l.ETag }

func (s *Service) settingToWire(r settingRow) *settingJSON {
	id := r.id
	if id == s.world.Dialect.NeutralOf(dialect.SettingAutoConference) {
		id = s.world.Dialect.Says(dialect.SettingAutoConference)
	}
	return &settingJSON{Kind: "calendar#setting", ETag: `"` + padded(r.seq) + `"`, ID: id, Value: r.value}
}
