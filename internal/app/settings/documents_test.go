package settings_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app/settings"
)

func TestDocuments(t *testing.T) {
	t.Parallel()
	list, err := settings.Documents("faults", "f.yaml", []byte(
		"faults:\n- match: {service: events}\n  when: {first: 1, share: 0.5}\n  deed: {fault: secondary_rate_limit}\n"))
	want := `{"deed":{"fault":"secondary_rate_limit"},"match":{"service":"events"},"when":{"first":1,"share":0.5}}`
	if err != nil || len(list) != 1 || string(list[0]) != want {
		t.Fatalf("got %s, %v; want %s", list, err, want)
	}
	for text, want := range map[string]string{
		"rules:\n- a: 1\n": `"rules" is not known`,
		"faults: [":        "f.yaml",
		"faults:\n- 7\n":   "f.yaml",
		"faults: {a: 1}\n": "f.yaml",
		"faults: []\n" + strings.Repeat("# long\n", 200_000): "more than",
	} {
		if _, err := settings.Documents("faults", "f.yaml", []byte(text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: got %v, want %q", text, err, want)
		}
	}
}
