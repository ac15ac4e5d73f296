package dialect

import (
	"encoding/json"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// Renaming keeps JSON valid, grows a text only by the names it knows, and is
// taken back by the opposite renaming where none of the new names was there.
func FuzzRename(f *testing.F) {
	fuzztest.Bytes(f, []byte(`{"one":{"one" : "one"},"a\"one\"":1}`), []byte(`["one","one":"two"]`), []byte(`"one\`), []byte(`{"one":1,"three":"\\"}`), []byte(`"`))
	there, back := map[string]string{"one": "eleven", "two": "x"}, map[string]string{"eleven": "one", "x": "two"}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := string(text)
		got := rename(text, there)
		if string(text) != before {
			t.Fatalf("%q was written to: %q", before, text)
		}
		if json.Valid(text) && !json.Valid(got) {
			t.Errorf("%q became %q", text, got)
		}
		if len(got) > 2*len(text) {
			t.Errorf("%d bytes became %d", len(text), len(got))
		}
		if again := rename(text, back); string(again) == before {
			if round := rename(got, back); string(round) != before {
				t.Errorf("%q became %q and then %q", before, got, round)
			}
		}
	})
}
