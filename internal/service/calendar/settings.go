package calendar

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/dialect"
)

// defaults are the settings there are, with the values of somebody who chose
// nothing. They stand in the order of the answer.
func (s *Service) defaults() []settingRow {
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

// settings are the defaults with what somebody chose.
func (s *Service) settings(ctx context.Context, q database.Querier, user int64) ([]settingRow, error) {
	chosen, err := settingsOf(ctx, q, user)
	if err != nil {
		return nil, err
	}
	all := s.defaults()
	for _, c := range chosen {
		if i := slices.IndexFunc(all, func(r settingRow) bool { return r.id == c.id }); i >= 0 {
			all[i] = c
		}
	}
	return all, nil
}

// ListSettings is a page of the caller's settings.
func (s *Service) ListSettings(ctx context.Context, p person, l listing) (*settingsJSON, error) {
	l.bind = "settings " + p.address
	cur, err := s.begin(l)
	if err != nil {
		return nil, err
	}
	var all []settingRow
	var seq int64
	err = s.world.DB.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		if seq, err = settingsSeq(ctx, tx, p.id); err != nil {
			return err
		}
		all, err = s.settings(ctx, tx, p.id)
		return err
	})
	if err != nil {
		return nil, err
	}
	if l.pageToken == "" {
		cur.Seq = seq
	}
	// There are a dozen settings, always in the same order.
	rest := all[1+slices.IndexFunc(all, func(r settingRow) bool { return r.id == cur.ID }):]
	if cur.Sync {
		rest = slices.DeleteFunc(rest, func(r settingRow) bool { return r.seq <= cur.Since })
	}
	out := &settingsJSON{Kind: "calendar#settings", ETag: `"p` + padded(seq) + `"`, Items: []*settingJSON{}}
	if len(rest) > l.size {
		rest = rest[:l.size]
		cur.ID = rest[l.size-1].id
		out.NextPageToken = s.pageToken(l, cur)
	} else {
		out.NextSyncToken = s.syncToken(l, cur)
	}
	for _, r := range rest {
		out.Items = append(out.Items, s.settingToWire(r))
	}
	return out, nil
}

// GetSetting reads one setting.
func (s *Service) GetSetting(ctx context.Context, p person, id string) (*settingJSON, error) {
	all, err := s.settings(ctx, s.world.DB, p.id)
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
func (s *Service) SetSetting(ctx context.Context, p person, id, value string) (*settingJSON, error) {
	id, _ = s.world.Dialect.AsNeutral(id, dialect.SettingAutoConference)
	if !slices.ContainsFunc(s.defaults(), func(r settingRow) bool { return r.id == id }) {
		return nil, errNotFound()
	}
	if utf8.RuneCountInString(value) > 1024 || strings.TrimSpace(value) == "" {
		return nil, errInvalid("value", "a value has 1 to 1024 characters")
	}
	row := settingRow{id: id, value: value}
	now := s.moment()
	err := s.world.DB.WriteKeyed(ctx, writeKey(p.address), func(ctx context.Context, tx *database.Tx) (err error) {
		if row.seq, err = nextSettingsSeq(ctx, tx, p.id); err != nil {
			return err
		}
		if err := putSetting(ctx, tx, p.id, row); err != nil {
			return err
		}
		return s.announce(ctx, tx, settingsOfUser(p.id), now)
	})
	return s.settingToWire(row), err
}
