package api

import (
	"encoding/json"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

func TestCamelNames(t *testing.T) {
	t.Parallel()
	brand := map[string]string{"fooSearch": "webSearch"}
	for in, want := range map[string]string{
		`{"inline_data": {"mime_type":"a_b","data":"x_y"}}`:                                       `{"inlineData":{"mimeType":"a_b","data":"x_y"}}`,
		`{"function_call":{"name":"f","args":{"snake_key":{"in_ner":1}}}}`:                        `{"functionCall":{"name":"f","args":{"snake_key":{"in_ner":1}}}}`,
		`{"function_response":{"name":"f","response":{"a_b":1}}}`:                                 `{"functionResponse":{"name":"f","response":{"a_b":1}}}`,
		`{"parameters":{"properties":{"user_name":{"min_length":"2"}},"required":["user_name"]}}`: `{"parameters":{"properties":{"user_name":{"minLength":"2"}},"required":["user_name"]}}`,
		`{"_responseJsonSchema":{"a_b":1}}`:                                                       `{"_responseJsonSchema":{"a_b":1}}`,
		`[{"foo_search":{}},{"fooSearch":{}}]`:                                                    `[{"webSearch":{}},{"webSearch":{}}]`,
		`{"text":"a_b \"c_d\": 1"}`:                                                               `{"text":"a_b \"c_d\": 1"}`,
	} {
		if got, _ := CamelNames([]byte(in), brand); string(got) != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

func TestSnakeName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "model": "model", "generationConfig.topK": "generation_config.top_k",
		"contents[0].inlineData": "contents[0].inline_data",
	} {
		if got := SnakeName(in); got != want {
			t.Errorf("SnakeName(%q) = %q, want %q", in, got, want)
		}
	}
}

// FuzzCamelNames proves that renaming neither breaks valid JSON nor panics.
func FuzzCamelNames(f *testing.F) {
	for _, seed := range []string{`{"a_b":[1,{"c_d":"\\\"_"}]}`, `"_"`, `{"properties":{"a_b":{}}}`, `[`, `{"a_b"`} {
		fuzztest.Bytes(f, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if named, _ := CamelNames(b, nil); json.Valid(b) && !json.Valid(named) {
			t.Errorf("%s became %s", b, named)
		}
		CamelNames(b, nil)
	})
}
