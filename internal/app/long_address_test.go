package app_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/clock"
)

// TestLongAddressesAreReported: a device shows forty characters of the page's address.
func TestLongAddressesAreReported(t *testing.T) {
	const long = "https://a-very-long-host-name-of-an-installation.department.example"
	for name, row := range map[string]struct {
		base, page string
		warn       bool
	}{
		"short":          {"https://stoa.example", "", false},
		"long":           {long, "", true},
		"long, page set": {long, "https://stoa.example/device", false},
	} {
		t.Run(name, func(t *testing.T) {
			c := config(t)
			c.BaseURL, c.Device.VerificationURL = row.base, row.page
			log := &identitytest.Log{}
			a, err := app.New(t.Context(), app.Options{Config: c, LogTo: log, Clock: clock.Real()})
			if err != nil {
				t.Fatal(err)
			}
			if err := a.StartJobs(t.Context()); err != nil {
				t.Error(err)
			}
			if err := a.Close(); err != nil {
				t.Error(err)
			}
			if got := strings.Contains(log.String(), "device.verification_url should be set"); got != row.warn {
				t.Errorf("warned: %t, want %t; log: %s", got, row.warn, log)
			}
		})
	}
}
