package settingwords_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/cli/settingwords"
	"stoa.dev/stoa/internal/app/reference"
	"stoa.dev/stoa/internal/app/settings"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	config := app.DefaultConfig()
	config.Workers = 300
	found, _ := reference.Find(reference.Settings(&config), "workers")
	for want, from := range map[string]settingwords.Source{
		"(file a.yaml)":           {Origins: map[string]settings.Origin{"workers": settings.FromFile}, File: "a.yaml"},
		"(variable STOA_WORKERS)": {Origins: map[string]settings.Origin{"workers": settings.FromEnvironment}},
		"(running server)":        {Running: true},
		"(default)":               {},
	} {
		from.Config = &config
		var text strings.Builder
		settingwords.Explain(found, from)[0].Write(&text, true)
		got := strings.Join(strings.Fields(text.String()), " ")
		if !strings.Contains(got, "here: 300 "+want+", which is refused: workers must be 1 to 256, not 300") ||
			!strings.Contains(got, "; takes 1 to 256 ") {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestRanges: most numbers have a range, and none is a sentence about another setting.
func TestRanges(t *testing.T) {
	t.Parallel()
	config := app.DefaultConfig()
	ranged := 0
	for _, e := range settingwords.Explain(reference.Settings(&config), settingwords.Source{Config: &config}) {
		if e.Refused != "" {
			t.Errorf("the default of %s is refused: %s", e.Name, e.Refused)
		}
		if e.Range != "" {
			ranged++
		}
	}
	if ranged < 100 {
		t.Errorf("%d settings have a range, want at least 100", ranged)
	}
}
