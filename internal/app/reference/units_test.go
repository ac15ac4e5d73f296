package reference_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/reference"
)

// unit is what a number counts. The values of a field of numbers, and the numbers of users, have none.
var unit = regexp.MustCompile(`(?i)\bhow (many|often)\b|\b(bytes|characters|pixels|days|requests an hour|user ids|integer value)\b|` +
	`the same in an hour`)

// unitOfName is what an explanation has to say when the name ends so.
func unitOfName() map[string]string {
	return map[string]string{
		"per_second": "second", "per_minute": "minute", "content_minute": "minute", "per_hour": "hour",
		"content_hour": "hour", "per_day": "day", "per_month": "month", "_bytes": "bytes", "_length": "characters",
		"_days": "days", "_years": "years", "_tokens": "tokens",
	}
}

// TestNumbersHaveAUnit: who reads 5000 learns 5000 of what, and in what time.
func TestNumbersHaveAUnit(t *testing.T) {
	t.Parallel()
	config := app.DefaultConfig()
	numbers := 0
	for _, e := range reference.Settings(&config) {
		for ending, word := range unitOfName() {
			if strings.HasSuffix(e.Name, ending) && !strings.Contains(e.Meaning, word) {
				t.Errorf("%s: %q does not say %q", e.Name, e.Meaning, word)
			}
		}
		if e.Type != "whole number" && e.Type != "number" {
			continue
		}
		numbers++
		if !unit.MatchString(e.Meaning) {
			t.Errorf("%s = %s: %q does not say of what", e.Name, e.Default, e.Meaning)
		}
	}
	if numbers < 50 {
		t.Errorf("%d settings are numbers: the reader is wrong", numbers)
	}
}

// TestSectionsStandOnce: a section of the page has one place, and the list at the top leads to it.
func TestSectionsStandOnce(t *testing.T) {
	t.Parallel()
	config := app.DefaultConfig()
	var page bytes.Buffer
	if err := reference.WritePage(&page, reference.Settings(&config)); err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(page.String(), "\n## ")
	seen := map[string]bool{}
	for _, found := range regexp.MustCompile(`(?m)^## (.+)$`).FindAllStringSubmatch(page.String(), -1) {
		if seen[found[1]] {
			t.Errorf("the section %s stands twice", found[1])
		}
		seen[found[1]] = true
		if !strings.Contains(head, "["+found[1]+"](#") {
			t.Errorf("the top does not lead to %s", found[1])
		}
	}
	if !seen["The server"] || !seen["`listen`"] {
		t.Errorf("the sections are %v", seen)
	}
}
