package chart

import (
	"testing"
	"time"
)

func TestZoneName(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)
	for name, want := range map[string]string{
		"UTC": "UTC", "Asia/Tokyo": "JST", "America/Sao_Paulo": "UTC-03", "Europe/Berlin": "Europe/Berlin",
	} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := zoneName(&Chart{From: from, To: from.Add(24 * time.Hour), Zone: zone}); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
