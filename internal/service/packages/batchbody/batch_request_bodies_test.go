package batchbody_test

import (
	"encoding/json"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/packages/batchbody"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	want := catalog.VersionKey{System: catalog.NPM, Name: "x", Version: "1"}
	for body, problem := range map[string]string{
		`{"requests":[{"versionKey":{"system":"NPM","name":"x","version":"1"}}]}`:               "",
		`{"requests":[{"version_key":{"system":3,"name":"x","version":"1"}}],"page_token":"t"}`: "",
		`{"requests":[{"versionKey":{"system":3e0,"name":"x","version":"1"}}],"pageToken":"t"}`: "",
		`{"requests":[{"versionKey":{"system":"npm","name":"x","version":"1"}}]}`:               "is not one of",
		`{"requests":[{"versionKey":{"system":5,"name":"x","version":"1"}}]}`:                   "is not one of",
		`{"requests":[{"versionKey":{"system":3.5,"name":"x","version":"1"}}]}`:                 "is not one of",
		`{"requests":[{}]}`: "is missing",
		`{"requests":[{"versionKey":{"system":3},"version_key":{"system":3}}]}`: "both its spellings",
	} {
		var in batchbody.VersionBatchRequest
		if err := json.Unmarshal([]byte(body), &in); err != nil {
			t.Fatal(err)
		}
		keys, err := in.Keys()
		switch {
		case problem != "" && (err == nil || !strings.Contains(err.Error(), problem)):
			t.Errorf("%s: %v, want %q", body, err, problem)
		case problem == "" && (err != nil || keys[0] != want):
			t.Errorf("%s: %v, %v", body, keys, err)
		case strings.Contains(body, `oken":"t"`) != (in.Token() == "t"):
			t.Errorf("%s: token %q", body, in.Token())
		}
	}
	var in batchbody.VersionBatchRequest
	if err := json.Unmarshal([]byte(`{"requests":[{"versionKey":{"system":[]}}]}`), &in); err == nil {
		t.Error("a system that is a list was taken")
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	var in batchbody.ProjectBatchRequest
	body := `{"requests":[{"projectKey":{"id":"a"}},{"project_key":{"id":"b"}}]}`
	if err := json.Unmarshal([]byte(body), &in); err != nil {
		t.Fatal(err)
	}
	if ids, err := in.IDs(); err != nil || strings.Join(ids, " ") != "a b" {
		t.Errorf("ids %q, %v", ids, err)
	}
}
