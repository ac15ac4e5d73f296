package app_test

import (
	"regexp"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/settings"
)

// TestAddressesAndWordsAreChecked: a setting that takes an address, or one word of a list, refuses
// another value at the start, also where what it is for is not in use.
func TestAddressesAndWordsAreChecked(t *testing.T) {
	t.Parallel()
	// The name says most; of the rest the list is closed by the value that they begin with.
	address := regexp.MustCompile(
		`(_url|\.url|\.endpoint|\.address|\.issuer|\.vault|\.login|\.identity|\.otlp)$|\.registries\.`)
	word := regexp.MustCompile(
		`^(dialect|log\.(format|level)|blob\.(store|s3\.checksum)|kms\.provider|packages\.discover|snapshots\.backend)$|` +
			`\.mode$|safety_threshold$`)
	defaults, found := app.DefaultConfig(), 0
	for _, s := range settings.Describe(&defaults) {
		if s.FileOnly || !address.MatchString(s.Name) && !word.MatchString(s.Name) {
			continue
		}
		found++
		config := app.DefaultConfig()
		err := settings.ReadEnvironment(&config, []string{s.Variable + "=no where"}, nil)
		if err == nil {
			err = config.Validate()
		}
		if err == nil || !strings.Contains(err.Error(), s.Name) && !strings.Contains(err.Error(), s.Variable) {
			t.Errorf("%s: %v, want it refused by name", s.Name, err)
		} else if n := strings.Count(err.Error(), s.Name); n > 1 {
			t.Errorf("%s is refused %d times: %v", s.Name, n, err)
		}
	}
	if found < 30 {
		t.Errorf("%d settings looked at, want 30 and more", found)
	}
}
