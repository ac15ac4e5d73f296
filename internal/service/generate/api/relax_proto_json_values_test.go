package api

import (
	"encoding/json"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

func TestRelaxValues(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"contents":{"parts":{"text":"a"}}}`:         `{"contents":[{"parts":[{"text":"a"}]}]}`,
		`{"contents":[{"parts":[{"text":"a"}]}]}`:     "",
		`{"temperature":"0.5","topK": "3"}`:           `{"temperature":0.5,"topK":3}`,
		`{"stopSequences":"x"}`:                       `{"stopSequences":["x"]}`,
		`{"args":{"parts":{"temperature":"1"}}}`:      "",
		`{"properties":{"temperature":{"type":"a"}}}`: "",
		`{"contents":null,"text":"parts"}`:            "",
	} {
		got, changed := RelaxValues([]byte(in))
		if changed != (want != "") || changed && string(got) != want {
			t.Errorf("%s: got %s (changed %v), want %s", in, got, changed, want)
		}
	}
}

// FuzzRelaxValues proves that valid JSON stays valid.
func FuzzRelaxValues(f *testing.F) {
	for _, seed := range []string{`{"contents":{"parts":{"text":"a"}}}`, `{"topK":"1e3"}`, `{"topK":"x"`, `{"parts":{`} {
		fuzztest.Bytes(f, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, _ := RelaxValues(b); json.Valid(b) && !json.Valid(got) {
			t.Errorf("%s became %s", b, got)
		}
	})
}
