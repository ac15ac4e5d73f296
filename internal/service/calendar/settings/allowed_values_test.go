package settings

import (
	"errors"
	"testing"

	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// TestValuesOfSettings: a value that a client could not read is refused before anything is kept.
func TestValuesOfSettings(t *testing.T) {
	t.Parallel()
	d, err := dialect.Load(dialect.SDK)
	if err != nil {
		t.Fatal(err)
	}
	u := New(Options{Dialect: d})
	for _, row := range []struct{ id, good, bad string }{
		{"autoAddHangouts", "false", "no"},
		{"dateFieldOrder", "YMD", "DDD"},
		{"defaultEventLength", "45", "0"},
		{"defaultEventLength", "1440", "soon"},
		{"format24HourTime", "true", "x"},
		{"hideInvitations", "true", "1"},
		{"hideWeekends", "true", "True"},
		{"locale", "el-1", "zz-!!"},
		{"locale", "pt_BR", "-"},
		{"remindOnRespondedEventsOnly", "true", ""},
		{"showDeclinedEvents", "false", "maybe"},
		{"timezone", "Europe/Athens", "Mars"},
		{"timezone", "UTC", "Local"},
		{"useKeyboardShortcuts", "false", " true"},
		{"weekStart", "6", "99"},
	} {
		var refused *refusal.Error
		if _, err := u.Set(t.Context(), User{}, row.id, row.bad); !errors.As(err, &refused) {
			t.Errorf("%s %q: %v, want a refusal", row.id, row.bad, err)
		}
		id, _ := d.AsNeutral(row.id, dialect.SettingAutoConference)
		if err := u.allowed(id, row.good); err != nil {
			t.Errorf("%s %q: %v", row.id, row.good, err)
		}
	}
	for _, r := range u.defaults() {
		if err := u.allowed(r.id, r.value); err != nil {
			t.Errorf("the default %s %q: %v", r.id, r.value, err)
		}
	}
}
