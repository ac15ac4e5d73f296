package settings

import (
	"slices"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/service/calendar/recurrence"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// allowed refuses a value that clients could not read, and says what the setting takes.
func (u *UserSettings) allowed(id, value string) error {
	good, takes := false, ""
	switch id {
	case "dateFieldOrder":
		good, takes = slices.Contains([]string{"MDY", "DMY", "YMD"}, value), "MDY, DMY or YMD"
	case "defaultEventLength":
		minutes, err := strconv.Atoi(value)
		good, takes = err == nil && minutes > 0 && minutes <= 24*60, "minutes from 1 to 1440"
	case "locale":
		good, takes = isLocale(value), "a language tag such as en or pt-BR"
	case "timezone":
		_, err := recurrence.Zone(value)
		good, takes = err == nil, "an IANA name such as Europe/Athens"
	case "weekStart":
		good, takes = slices.Contains([]string{"0", "1", "6"}, value), "0 for Sunday, 1 for Monday or 6 for Saturday"
	case u.dialect.NeutralOf(dialect.SettingAutoConference), "format24HourTime", "hideInvitations", "hideWeekends",
		"remindOnRespondedEventsOnly", "showDeclinedEvents", "useKeyboardShortcuts":
		good, takes = value == "true" || value == "false", "true or false"
	default:
		return ErrNotFound
	}
	if !good {
		return refusal.Invalid("value", "the setting takes %s, not %q", takes, value)
	}
	return nil
}

// isLocale tells a language tag by its form: parts of letters and digits, the first of letters.
func isLocale(tag string) bool {
	parts := strings.FieldsFunc(tag, func(r rune) bool { return r == '-' || r == '_' })
	if len(parts) == 0 || len(parts) > 8 || strings.Join(parts, "-") != strings.ReplaceAll(tag, "_", "-") {
		return false
	}
	for i, part := range parts {
		outside := func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9')
		}
		if len(part) > 8 || i == 0 && len(part) < 2 || strings.ContainsFunc(part, outside) {
			return false
		}
	}
	return true
}
