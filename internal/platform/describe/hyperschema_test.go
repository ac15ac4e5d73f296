package describe_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/describe"
	"stoa.dev/stoa/internal/platform/route"
)

func TestHyperSchema(t *testing.T) {
	t.Parallel()
	type request struct {
		Name string    `json:"name"`
		Tags *[]string `json:"tags"`
	}
	type answer struct {
		ID        int64   `json:"id"`
		CreatedAt string  `json:"created_at"`
		Icon      *string `json:"icon"`
	}
	got, err := describe.HyperSchema{
		Title: "T", Description: "D", Tags: []string{"edition"},
		Resources: []describe.Resource{{Name: "tag", Title: "Tag", Sample: answer{}}},
		Links: map[string]describe.Link{
			"tags.list":   {Resource: "tag", List: true},
			"tags.create": {Resource: "tag", In: request{}, Required: []string{"name"}},
		},
		Null: func(string) describe.Object { return describe.Object{"type": []string{"null"}} },
	}.Encode([]route.Route{
		{Method: "GET", Pattern: "/tags", Name: "tags.list"},
		{Method: "POST", Pattern: "/tags", Name: "tags.create", Tags: map[string]string{"edition": "team"}},
		{Method: "DELETE", Pattern: "/tags/{tag_id}", Name: "tags.delete"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"links":[{"href":"/tags/:tag_id","method":"DELETE","rel":"delete","title":"tags.delete"}]`,
		`"properties":{"created_at":{"format":"date-time","type":["string"]},"icon":{"type":["null"]},"id":{"type":["integer"]}}`,
		`"required":["created_at","icon","id"]`,
		`"targetSchema":{"items":{"$ref":"#/definitions/tag"},"type":["array"]}`,
		`"edition":"team","encType":"application/json","href":"/tags","method":"POST","rel":"create","schema":{"properties":` +
			`{"name":{"type":["string"]},"tags":{"items":{"type":["string"]},"type":["array"]}},"required":["name"],` +
			`"type":["object"]}`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
