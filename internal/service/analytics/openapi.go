package analytics

import (
	"encoding/json"
	"reflect"
	"strings"

	"stoa.dev/stoa/internal/platform/route"
)

// operation is what the description says about a route beyond its table row. in
// and out are values of the wire types, so that the schemas cannot differ from
// the code.
type operation struct {
	summary string
	in, out any
	query   []string
	local   bool // answers in the local envelope
}

// operations by route name. A test holds it against the route tables.
func operations() map[string]operation {
	page := []string{"page", "size", "sort"}
	report := []string{"keywordId", "reportDate", "cid", "placeIds"}
	return map[string]operation{
		"projects.list":            {summary: "List your projects", out: projectsJSON{}},
		"projects.create":          {summary: "Create a project; an Idempotency-Key makes retries safe", in: createProjectRequest{}, out: projectJSON{}},
		"projects.update":          {summary: "Rename a project", in: updateProjectRequest{}, out: projectJSON{}},
		"projects.get":             {summary: "Get a project", out: projectJSON{}},
		"projects.delete":          {summary: "Delete a project", out: resultJSON{}},
		"campaigns.list":           {summary: "List your campaigns", out: pageJSON[campaignJSON]{}, query: append([]string{"query", "onlyMarkedForRemoval"}, page...)},
		"campaigns.create":         {summary: "Create a campaign", in: campaignRequest{}, out: campaignJSON{}},
		"campaigns.get":            {summary: "Get a campaign", out: campaignJSON{}},
		"campaigns.update":         {summary: "Change a campaign", in: campaignRequest{}, out: campaignJSON{}},
		"campaigns.delete":         {summary: "Delete a campaign and its reports", out: struct{}{}},
		"campaigns.collect":        {summary: "Collect a report", out: collectJSON{}, query: []string{"reportDate"}},
		"campaigns.keywords":       {summary: "Get the state of each keyword of a report", out: keywordStatusesJSON{}, query: []string{"reportDate"}},
		"campaigns.heatmap":        {summary: "Get the positions at every point, as data or as a picture", out: heatmapJSON{}, query: append([]string{"format"}, report...)},
		"campaigns.metrics":        {summary: "Get the average position and share of voice of every report", out: metricsJSON{}, query: []string{"keywordId", "cid", "placeIds"}},
		"campaigns.topCompetitors": {summary: "Get who else ranks", out: competitorsJSON{}, query: append([]string{"keywordId", "reportDate"}, page...)},
		"limits.get":               {summary: "Get what you may use and have used", out: limitsJSON{}},
		"locations.list":           {summary: "List your locations", out: locationPageJSON{}, query: []string{"page", "size"}, local: true},
		"locations.get":            {summary: "Get a location", out: Location{}, local: true},
		updateLocation:             {summary: "Update a location", in: LocationChange{}, out: Location{}, local: true},
		updateLocations:            {summary: "Update many locations; some may fail", in: []LocationChange{}, out: []outcomeJSON{}, local: true},
	}
}

// object is a JSON object of the description.
type object = map[string]any

// describe writes the OpenAPI description of the data methods.
func describe(routes []route.Route) ([]byte, error) {
	known, paths := operations(), object{}
	for _, r := range routes {
		path, ok := paths[r.Pattern].(object)
		if !ok {
			path = object{}
			paths[r.Pattern] = path
		}
		path[strings.ToLower(r.Method)] = describeRoute(r, known[r.Name])
	}
	return json.MarshalIndent(object{
		"openapi":    "3.1.0",
		"info":       object{"title": "Analytics API", "version": "4"},
		"security":   []object{{"bearer": []string{}}},
		"components": object{"securitySchemes": object{"bearer": object{"type": "http", "scheme": "bearer"}}},
		"paths":      paths,
	}, "", "  ")
}

func describeRoute(r route.Route, o operation) object {
	name := r.Name
	if strings.HasPrefix(r.Pattern, "/apis/v4-raw/") {
		name += "Raw" // operation ids are unique
	}
	var parameters []object
	for segment := range strings.SplitSeq(r.Pattern, "/") {
		if strings.HasPrefix(segment, "{") {
			parameters = append(parameters, object{"name": strings.Trim(segment, "{}"), "in": "path", "required": true, "schema": object{"type": "string"}})
		}
	}
	for _, q := range o.query {
		parameters = append(parameters, object{"name": q, "in": "query", "schema": object{"type": "string"}})
	}
	success, failure := schemaOf(reflect.TypeFor[successJSON]()), schemaOf(reflect.TypeFor[failureJSON]())
	if o.local {
		success, failure = schemaOf(reflect.TypeFor[localSuccessJSON]()), schemaOf(reflect.TypeFor[localFailureJSON]())
	}
	success["properties"].(object)["data"] = schemaOf(reflect.TypeOf(o.out))
	out := object{"operationId": name, "summary": o.summary, "responses": object{"200": answerOf("done", success), "default": answerOf("refused or failed", failure)}}
	if parameters != nil {
		out["parameters"] = parameters
	}
	if o.in != nil {
		out["requestBody"] = object{"required": true, "content": object{"application/json": object{"schema": schemaOf(reflect.TypeOf(o.in))}}}
	}
	return out
}

func answerOf(words string, schema object) object {
	return object{"description": words, "content": object{"application/json": object{"schema": schema}}}
}

// schemaOf turns a Go type into a JSON schema by the rules of encoding/json.
func schemaOf(t reflect.Type) object {
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return object{} // raw JSON: anything
		}
		return object{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": schemaOf(t.Elem())}
	case reflect.Struct:
		return schemaOfStruct(t)
	default:
		return object{}
	}
}

func schemaOfStruct(t reflect.Type) object {
	if value, ok := t.FieldByName("Value"); ok && strings.HasPrefix(t.Name(), "Optional[") {
		return object{"anyOf": []object{schemaOf(value.Type), {"type": "null"}}}
	}
	properties := object{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		properties[name] = schemaOf(t.Field(i).Type)
	}
	return object{"type": "object", "properties": properties}
}
