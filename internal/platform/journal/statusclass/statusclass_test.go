package statusclass_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/journal/statusclass"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, row := range map[string]struct {
		ok  bool
		has int
	}{
		"": {true, 204}, "404": {true, 404}, "4xx": {true, 429}, "5XX": {true, 599}, "9xx": {}, "0xx": {}, "99": {},
		"600": {}, "ok": {},
	} {
		s, ok := statusclass.Parse(text)
		if ok != row.ok || ok && !s.Has(row.has) || ok && text != "" && s.Has(200) {
			t.Errorf("%q: %v, %v", text, s, ok)
		}
	}
}
