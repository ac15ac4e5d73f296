package mergepatch_test

import (
	"encoding/json"
	"testing"

	"stoa.dev/stoa/internal/service/calendar/mergepatch"
)

// TestApply has the cases of RFC 7396, appendix A, that are about objects.
func TestApply(t *testing.T) {
	t.Parallel()
	for _, row := range [][3]string{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"e":null}`, `{"a":1}`, `{"a":1,"e":null}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
	} {
		var got map[string]any
		if err := mergepatch.Apply(json.RawMessage(row[0]), []byte(row[1]), &got); err != nil {
			t.Errorf("%s + %s: %v", row[0], row[1], err)
			continue
		}
		if text, _ := json.Marshal(got); string(text) != row[2] {
			t.Errorf("%s + %s = %s, want %s", row[0], row[1], text, row[2])
		}
	}
	var got map[string]any
	if err := mergepatch.Apply(json.RawMessage(`{}`), []byte(`{"a":`), &got); err == nil {
		t.Error("a patch that is cut off was applied")
	}
}
