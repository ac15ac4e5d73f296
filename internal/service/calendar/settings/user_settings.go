package settings

import (
	"context"
	"errors"
	"slices"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/service/calendar/listing"
)

// ErrNotFound is a setting that does not exist.
var ErrNotFound = errors.New("settings: no such setting")

// Options are what UserSettings are built on; all are needed.
type Options struct {
	DB      *database.DB
	Dialect *dialect.Dialect
	Tokens  *listing.Tokens
	// Changed announces a change of a user's settings, in its transaction.
	Changed func(ctx context.Context, tx *database.Tx, user int64) error
}

// UserSettings reads and changes settings.
type UserSettings struct {
	db      *database.DB
	dialect *dialect.Dialect
	tokens  *listing.Tokens
	changed func(ctx context.Context, tx *database.Tx, user int64) error
}

// New makes UserSettings.
func New(o Options) *UserSettings {
	return &UserSettings{db: o.DB, dialect: o.Dialect, tokens: o.Tokens, changed: o.Changed}
}

// User is whose settings they are. Lock is the key of writes to what is the user's.
type User struct {
	ID            int64
	Address, Lock string
}

// defaults are the settings there are, with the values of a user who chose
// nothing. They stand in the order of the answer.
func (u *UserSettings) defaults() []row {
	return []row{
		{id: u.dialect.NeutralOf(dialect.SettingAutoConference), value: "true"},
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

// all are the defaults with what a user chose.
func (u *UserSettings) all(ctx context.Context, q database.Querier, user int64) ([]row, error) {
	chosen, err := rowsByUser(ctx, q, user)
	if err != nil {
		return nil, err
	}
	all := u.defaults()
	for _, c := range chosen {
		if i := slices.IndexFunc(all, func(r row) bool { return r.id == c.id }); i >= 0 {
			all[i] = c
		}
	}
	return all, nil
}

// List is a page of the caller's settings.
func (u *UserSettings) List(ctx context.Context, user User, l listing.Request) (*Settings, error) {
	l.Bind = "settings " + user.Address
	cur, err := u.tokens.Open(l)
	if err != nil {
		return nil, err
	}
	var all []row
	var seq int64
	err = u.db.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		if seq, err = lastSeq(ctx, tx, user.ID); err != nil {
			return err
		}
		all, err = u.all(ctx, tx, user.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	if l.PageToken == "" {
		cur.Seq = seq
	}
	// There are a dozen settings, always in the same order.
	rest := all[1+slices.IndexFunc(all, func(r row) bool { return r.id == cur.ID }):]
	if cur.Sync {
		rest = slices.DeleteFunc(rest, func(r row) bool { return r.seq <= cur.Since })
	}
	out := &Settings{Kind: "calendar#settings", ETag: `"p` + etagNumber(seq) + `"`, Items: []*Setting{}}
	if len(rest) > l.Size {
		rest = rest[:l.Size]
		cur.ID = rest[l.Size-1].id
		out.NextPageToken = u.tokens.Page(l, cur)
	} else {
		out.NextSyncToken = u.tokens.Sync(l, cur)
	}
	for _, r := range rest {
		out.Items = append(out.Items, u.toWire(r))
	}
	return out, nil
}

// Get reads one setting.
func (u *UserSettings) Get(ctx context.Context, user User, id string) (*Setting, error) {
	all, err := u.all(ctx, u.db, user.ID)
	if err != nil {
		return nil, err
	}
	id, _ = u.dialect.AsNeutral(id, dialect.SettingAutoConference)
	for _, r := range all {
		if r.id == id {
			return u.toWire(r), nil
		}
	}
	return nil, ErrNotFound
}

// Set changes a setting. The contract has no operation for it; the
// command line does, so that there is something to watch.
func (u *UserSettings) Set(ctx context.Context, user User, id, value string) (*Setting, error) {
	id, _ = u.dialect.AsNeutral(id, dialect.SettingAutoConference)
	if err := u.allowed(id, value); err != nil {
		return nil, err
	}
	chosen := row{id: id, value: value}
	err := u.db.WriteKeyed(ctx, user.Lock, func(ctx context.Context, tx *database.Tx) (err error) {
		all, err := u.all(ctx, tx, user.ID)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(r row) bool { return r.id == id })
		if all[i].value == value {
			chosen = all[i]
			return nil
		}
		if chosen.seq, err = nextSeq(ctx, tx, user.ID); err != nil {
			return err
		}
		if err := upsertRow(ctx, tx, user.ID, chosen); err != nil {
			return err
		}
		return u.changed(ctx, tx, user.ID)
	})
	return u.toWire(chosen), err
}
