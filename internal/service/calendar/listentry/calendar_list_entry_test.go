package listentry_test

import (
	"testing"

	"stoa.dev/stoa/internal/service/calendar/listentry"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	first := listentry.New(true)
	if first.BackgroundColor == "" || first.NotificationSettings == nil ||
		listentry.New(false).NotificationSettings != nil {
		t.Errorf("a new entry: %+v", first)
	}
	for name, row := range map[string]struct {
		in  listentry.Entry
		rgb bool
		ok  bool
	}{
		"a color of the list":    {listentry.Entry{ColorID: "3", Summary: "not the owner's"}, false, true},
		"no such color":          {listentry.Entry{ColorID: "99"}, false, false},
		"colors of one's own":    {listentry.Entry{BackgroundColor: "#123456", ForegroundColor: "#ffffff"}, true, true},
		"a color that is a word": {listentry.Entry{BackgroundColor: "red", ForegroundColor: "#ffffff"}, true, false},
	} {
		out, err := listentry.Check(row.in, first, row.rgb)
		if (err == nil) != row.ok || out.Summary != "" {
			t.Errorf("%s: %+v %v", name, out, err)
		}
	}
}
