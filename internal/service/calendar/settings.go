package calendar

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/service/calendar/listing"
)

// defaultSettings are the settings there are, with the values of a user who chose
// nothing. They stand in the order of the answer.
func (s *Service) defaultSettings() []settingRow {
	return []settingRow{
		{id: s.world.Dialect.NeutralOf(dialect.SettingAutoConference), value: "true"},
		{id: "dateFieldOrder", value: "MDY"},
		{id: "defaultEventLength", value: "60"},
		{id: "format24HourTime", value: "false"},
		{id: "hideInvitations", value: "false"},
		{id: "hideWeekends", value: "false"},
		{id: "locale", value: "en"},
		{id: "remindOnRespondedEventsOnly", value: "false"},
		{id: "showDeclinedEvents", value: "true"},
		{id: "timezone", value: "UTC"},
		{id: "useKeyboardShortcuts", value: "true"},
		{id: "weekStart", value: "0"},
	}
}

// settings are the defaults with what a user chose.
func (s *Service) settings(ctx context.Context, q database.Querier, user int64) ([]settingRow, error) {
	chosen, err := settingsByUser(ctx, q, user)
	if err != nil {
		return nil, err
	}
	all := s.defaultSettings()
	for _, c := range chosen {
		if i := slices.IndexFunc(all, func(r settingRow) bool { return r.id == c.id }); i >= 0 {
			all[i] = c
		}
	}
	return all, nil
}

// ListSettings is a page of the caller's settings.
func (s *Service) ListSettings(ctx context.Context, u user, l listing.Request) (*settingsJSON, error) {
	l.Bind = "settings " + u.address
	cur, err := s.tokens.Open(l)
	if err != nil {
		return nil, err
	}
	var all []settingRow
	var seq int64
	err = s.world.DB.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		if seq, err = settingsSeq(ctx, tx, u.id); err != nil {
			return err
		}
		all, err = s.settings(ctx, tx, u.id)
		return err
	})
	if err != nil {
		return nil, err
	}
	if l.PageToken == "" {
		cur.Seq = seq
	}
	// There are a dozen settings, always in the same order.
	rest := all[1+slices.IndexFunc(all, func(r settingRow) bool { return r.id == cur.ID }):]
	if cur.Sync {
		rest = slices.DeleteFunc(rest, func(r settingRow) bool { return r.seq <= cur.Since })
	}
	out := &settingsJSON{Kind: "calendar#settings", ETag: `"p` + padded(seq) + `"`, Items: []*settingJSON{}}
	if len(rest) > l.Size {
		rest = rest[:l.Size]
		cur.ID = rest[l.Size-1].id
		out.NextPageToken = s.tokens.Page(l, cur)
	} else {
		out.NextSyncToken = s.tokens.Sync(l, cur)
	}
	for _, r := range rest {
		out.Items = append(out.Items, s.settingToWire(r))
	}
	return out, nil
}

// GetSetting reads one setting.
func (s *Service) GetSetting(ctx context.Context, u user, id string) (*settingJSON, error) {
	all, err := s.settings(ctx, s.world.DB, u.id)
	if err != nil {
		return nil, err
	}
	id, _ = s.world.Dialect.AsNeutral(id, dialect.SettingAutoConference)
	for _, r := range all {
		if r.id == id {
			return s.settingToWire(r), nil
		}
	}
	return nil, errNotFound()
}

// SetSetting changes a setting. The contract has no operation for it; the
// command line does, so that there is something to watch.
func (s *Service) SetSetting(ctx context.Context, u user, id, value string) (*settingJSON, error) {
	id, _ = s.world.Dialect.AsNeutral(id, dialect.SettingAutoConference)
	if !slices.ContainsFunc(s.defaultSettings(), func(r settingRow) bool { return r.id == id }) {
		return nil, errNotFound()
	}
	if utf8.RuneCountInString(value) > 1024 || strings.TrimSpace(value) == "" {
		return nil, errInvalidField("value", "a value has 1 to 1024 characters")
	}
	row := settingRow{id: id, value: value}
	now := s.now()
	err := s.world.DB.WriteKeyed(ctx, writeKey(u.address), func(ctx context.Context, tx *database.Tx) (err error) {
		if row.seq, err = nextSettingsSeq(ctx, tx, u.id); err != nil {
			return err
		}
		if err := upsertSetting(ctx, tx, u.id, row); err != nil {
			return err
		}
		return s.channels.Changed(ctx, tx, settingsOf(u.id), now)
	})
	return s.settingToWire(row), err
}
