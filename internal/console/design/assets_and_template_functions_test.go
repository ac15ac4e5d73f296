package design_test

import (
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/console/design"
)

func TestAssets(t *testing.T) {
	t.Parallel()
	a := design.Load()
	if len(a.Style) == 0 || len(a.Script) == 0 || len(a.Icon) == 0 {
		t.Error("an asset is empty")
	}
	if strings.Contains(string(a.Style), "url(") || strings.Contains(string(a.Script), "http") {
		t.Error("an asset loads something from elsewhere")
	}
	if !strings.HasPrefix(a.StyleURL(), "/console/style.css?v=") || a.ScriptURL() == a.StyleURL() {
		t.Errorf("addresses %s and %s", a.StyleURL(), a.ScriptURL())
	}
}

func TestTimeIsExactOnHover(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 9, 0, 0, 5000, time.UTC)
	want := `<time datetime="2026-03-01T09:00:00.000005Z" title="2026-03-01T09:00:00.000005Z"><span>2026-03-01</span> <span>09:00:00 UTC</span></time>`
	if got := string(design.Time(at)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestNamesBreakBetweenTheirParts escapes the rest.
func TestNamesBreakBetweenTheirParts(t *testing.T) {
	t.Parallel()
	if got := design.Name("a.b_c<d"); got != "a.<wbr>b_<wbr>c&lt;d" {
		t.Errorf("got %s", got)
	}
}
