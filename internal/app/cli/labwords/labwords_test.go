package labwords_test

import (
	"errors"
	"testing"

	"stoa.dev/stoa/internal/app/cli/labwords"
)

func TestRefusal(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"GET /lab/v1/worlds lists those there are": "stoa world list names those there are",
		"match.operation \"x\" is not known":       "--operation \"x\" is not known",
		"when.share is 2":                          "--share is 2",
		"deed.fault is missing":                    "--deed is missing",
		"clock.now is wrong (at byte 79)":          "--clock is wrong",
	} {
		if got, _ := labwords.Refusal(in, ""); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestFlagError(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`invalid argument "x" for "--rate" flag: strconv.ParseFloat: parsing "x": invalid syntax`:  `--rate: "x" is not a number`,
		`invalid argument "x" for "--idle" flag: time: invalid duration "x"`:                       `--idle: "x" is not a duration such as 90s or 10m`,
		`invalid argument "x" for "--seed" flag: strconv.ParseUint: parsing "x": invalid syntax`:   `--seed: "x" is not a whole number from 0 on`,
		`invalid argument "x" for "--exactly" flag: strconv.ParseInt: parsing "x": invalid syntax`: `--exactly: "x" is not a whole number`,
		`invalid argument "1x" for "--expires" flag: must be a duration, not "1x"`:                 `--expires must be a duration, not "1x"`,
		"unknown flag: --x": "unknown flag: --x",
	} {
		if got := labwords.FlagError(errors.New(in)).Error(); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
