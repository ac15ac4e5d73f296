package analytics

import (
	"strings"
	"testing"
	"time"
)

// A label that is longer than any domain is refused before it is encoded, which takes time that grows with the
// square of its length: without the bound this one keeps a processor busy for many seconds.
func TestLongDomainsAreRefusedAtOnce(t *testing.T) {
	t.Parallel()
	var label strings.Builder
	for i := range 20_000 {
		label.WriteRune(rune('\u4e00' + i))
	}
	for _, address := range []string{label.String() + ".com", "https://" + label.String() + ".com/path"} {
		start := time.Now()
		if domain, err := parseDomain(address); err == nil {
			t.Errorf("a domain of %d bytes is taken as %q", len(address), domain)
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("refusing a domain of %d bytes took %s", len(address), took)
		}
	}
}

// What is refused for its length is no domain that fits.
func TestDomainsOfOtherLettersFit(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"Bücher.example":                  "xn--bcher-kva.example",
		"https://例え.テスト/seite?x=1":        "xn--r8jz45g.xn--zckzah",
		strings.Repeat("a.", 125) + "com": strings.Repeat("a.", 125) + "com",
	} {
		if got, err := parseDomain(address); got != want || err != nil {
			t.Errorf("parseDomain(%q) = %q, %v, want %q", address, got, err, want)
		}
	}
}
