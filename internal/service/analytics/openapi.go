package analytics

import (
	"encoding/json"
	"strings"

	"stoa.dev/stoa/internal/platform/describe"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/analytics/locations"
)

// operations describes the routes that answer in the common envelope, by name. A
// test compares it with the route table.
func operations() map[string]describe.Operation {
	page := []string{"page", "size", "sort"}
	return map[string]describe.Operation{
		"projects.list": {Summary: "List your projects", Out: projectsJSON{}},
		"projects.create": {
			Summary: "Create a project; an Idempotency-Key makes retries safe",
			In:      createProjectRequest{}, Out: projectJSON{},
		},
		"projects.update": {Summary: "Rename a project", In: updateProjectRequest{}, Out: projectJSON{}},
		"projects.get":    {Summary: "Get a project", Out: projectJSON{}},
		"projects.delete": {Summary: "Delete a project", Out: resultJSON{}},
		"campaigns.list": {
			Summary: "List your campaigns", Out: pageJSON[campaignJSON]{},
			Query: append([]string{"query", "onlyMarkedForRemoval"}, page...),
		},
		"campaigns.create": {Summary: "Create a campaign", In: campaignRequest{}, Out: campaignJSON{}},
		"campaigns.get":    {Summary: "Get a campaign", Out: campaignJSON{}},
		"campaigns.update": {Summary: "Change a campaign", In: campaignRequest{}, Out: campaignJSON{}},
		"campaigns.delete": {Summary: "Delete a campaign and its reports", Out: struct{}{}},
		"campaigns.collect": {
			Summary: "Collect a report", Out: collectJSON{}, Query: []string{"reportDate"},
		},
		"campaigns.keywords": {
			Summary: "Get the state of each keyword of a report", Out: keywordStatusesJSON{},
			Query: []string{"reportDate"},
		},
		"campaigns.heatmap": {
			Summary: "Get the positions at every point, as data or as a picture", Out: heatmapJSON{},
			Query: []string{"format", "keywordId", "reportDate", "cid", "placeIds"},
		},
		"campaigns.metrics": {
			Summary: "Get the average position and share of voice of every report", Out: metricsJSON{},
			Query: []string{"keywordId", "cid", "placeIds"},
		},
		"campaigns.topCompetitors": {
			Summary: "Get who else ranks", Out: competitorsJSON{},
			Query: append([]string{"keywordId", "reportDate"}, page...),
		},
		"limits.get": {Summary: "Get what you may use and have used", Out: limitsJSON{}},
	}
}

// openAPI writes the description of the data methods.
func (s *Service) openAPI() ([]byte, error) {
	paths := describe.Paths{}
	for _, r := range s.dataRoutes() {
		paths.Add(r.Method, r.Pattern, describeRoute(r, operations()[r.Name], successJSON{}, failureJSON{}))
	}
	success, failure := locations.Envelopes()
	for _, r := range s.locationRoutes() {
		operation := describeRoute(r, locations.Operations()[r.Name], success, failure)
		if strings.HasPrefix(r.Pattern, "/apis/v4-raw/") {
			operation["operationId"] = r.Name + "Raw" // operation ids are unique
		}
		paths.Add(r.Method, r.Pattern, operation)
	}
	bearer := describe.Object{"bearer": describe.Object{"type": "http", "scheme": "bearer"}}
	return json.MarshalIndent(describe.Object{
		"openapi":    "3.1.0",
		"info":       describe.Object{"title": "Analytics API", "version": "4"},
		"security":   []describe.Object{{"bearer": []string{}}},
		"components": describe.Object{"securitySchemes": bearer},
		"paths":      paths,
	}, "", "  ")
}

// describeRoute describes an operation whose answers stand in the envelopes.
func describeRoute(r route.Route, o describe.Operation, success, failure any) describe.Object {
	answer := describe.Schema(success)
	answer["properties"].(describe.Object)["data"] = describe.Schema(o.Out)
	out := describe.Object{
		"operationId": r.Name, "summary": o.Summary,
		"responses": describe.Object{
			"200":     describe.Answer("done", answer),
			"default": describe.Answer("refused or failed", describe.Schema(failure)),
		},
	}
	if parameters := describe.Parameters(r.Pattern, o.Query...); parameters != nil {
		out["parameters"] = parameters
	}
	if o.In != nil {
		body := describe.Content("application/json", describe.Schema(o.In))
		body["required"] = true
		out["requestBody"] = body
	}
	return out
}
