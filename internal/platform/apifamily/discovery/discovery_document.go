package discovery

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/describe"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
)

// object is a JSON object.
type object = describe.Object

// openAPI is what is read of an OpenAPI description.
type openAPI struct {
	Paths      map[string]map[string]operation `json:"paths"`
	Components struct {
		Schemas map[string]object `json:"schemas"`
	} `json:"components"`
}

type operation struct {
	ID         string `json:"operationId"`
	Parameters []struct {
		In   string `json:"in"`
		Name string `json:"name"`
	} `json:"parameters"`
	RequestBody *body           `json:"requestBody"`
	Responses   map[string]body `json:"responses"`
}

type body struct {
	Content map[string]struct {
		Schema object `json:"schema"`
	} `json:"content"`
}

// maker makes the document of one API.
type maker struct {
	m       module.Module
	routes  map[string]route.Route
	schemas object
	// scope is a scope's full name.
	scope func(name string) string
}

// document is the description of an API at an address, whose scopes are written as
// scope says.
func document(m module.Module, source []byte, root string, scope func(string) string) (object, error) {
	var in openAPI
	if err := json.Unmarshal(source, &in); err != nil {
		return nil, fmt.Errorf("discovery: read the description of %s: %w", m.Name, err)
	}
	k := &maker{m: m, routes: map[string]route.Route{}, schemas: object{}, scope: scope}
	for _, r := range m.Routes {
		k.routes[r.Name] = r
	}
	for name, schema := range in.Components.Schemas {
		k.define(name, schema)
	}
	api, base := m.API, strings.TrimPrefix(m.API.BasePath, "/")
	scopes := object{}
	for _, s := range m.Scopes {
		scopes[scope(s.Name)] = object{"description": s.Description}
	}
	return object{
		"kind": "discovery#restDescription", "discoveryVersion": "v1", "id": api.Name + ":" + api.Version,
		"name": api.Name, "version": api.Version, "title": m.Title, "description": m.Title, "protocol": "rest",
		"documentationLink": root + "/docs/services/" + m.Name,
		"rootUrl":           root + "/", "servicePath": base, "basePath": m.API.BasePath, "baseUrl": root + m.API.BasePath,
		"batchPath":  "batch/" + api.Name + "/" + api.Version,
		"parameters": commonParameters(), "auth": object{"oauth2": object{"scopes": scopes}},
		"resources": k.resources(in.Paths), "schemas": k.schemas,
	}, nil
}

// commonParameters are those of every operation.
func commonParameters() object {
	text := func(words string) object { return object{"type": "string", "location": "query", "description": words} }
	return object{
		"alt": object{
			"type": "string", "location": "query", "default": "json", "enum": []string{"json"},
			"enumDescriptions": []string{"JSON"}, "description": "The form of the answer.",
		},
		"fields":    text("The members of the answer that are wanted."),
		"key":       text("The application."),
		"quotaUser": text("Who a request is counted for; the token's user is."),
		"prettyPrint": object{
			"type": "boolean", "location": "query", "default": "false", "description": "Indents the answer.",
		},
		"access_token": text("The bearer token."), "oauth_token": text("The bearer token."),
	}
}

// resources groups the operations by noun.
func (k *maker) resources(paths map[string]map[string]operation) object {
	all := object{}
	for path, methods := range paths {
		for method, o := range methods {
			r, known := k.routes[o.ID]
			name := strings.TrimPrefix(o.ID, k.m.API.Name+".")
			if strings.Count(name, ".") == 0 {
				name = o.ID // the noun is the API's name
			}
			noun, verb, ok := strings.Cut(name, ".")
			if !known || !ok {
				continue
			}
			if all[noun] == nil {
				all[noun] = object{"methods": object{}}
			}
			all[noun].(object)["methods"].(object)[verb] = k.method(r, path, strings.ToUpper(method), noun+"."+verb, o)
		}
	}
	return all
}

func (k *maker) method(r route.Route, path, method, name string, o operation) object {
	path = strings.TrimPrefix(path, k.m.API.BasePath)
	out := object{"id": k.m.API.Name + "." + name, "path": path, "flatPath": path, "httpMethod": method}
	parameters, order := object{}, []string{}
	for _, p := range o.Parameters {
		if p.In == "path" {
			parameters[p.Name] = object{"type": "string", "location": "path", "required": true}
			order = append(order, p.Name)
		} else {
			parameters[p.Name] = k.parameter(p.Name, r.Name)
		}
	}
	for _, name := range r.Parameters {
		parameters[name] = k.parameter(name, r.Name)
	}
	for name := range commonParameters() {
		delete(parameters, name)
	}
	out["parameters"], out["parameterOrder"] = parameters, append(order, k.m.API.Required[r.Name]...)
	if o.RequestBody != nil {
		if name := k.bodySchema(*o.RequestBody, name+".request"); name != "" {
			out["request"] = object{"$ref": name}
		}
	}
	if name := k.bodySchema(o.Responses["200"], name+".response"); name != "" {
		out["response"] = object{"$ref": name}
	}
	var scopes []string
	for _, s := range r.Scopes {
		scopes = append(scopes, k.scope(s))
	}
	if len(scopes) > 0 {
		out["scopes"] = scopes
	}
	return out
}

// parameter is one of the query.
func (k *maker) parameter(name, operation string) object {
	out := object{"type": "string", "location": "query"}
	switch api := k.m.API; {
	case slices.Contains(api.Booleans, name):
		out["type"] = "boolean"
	case slices.Contains(api.Integers, name):
		out["type"], out["format"] = "integer", "int32"
	case slices.Contains(api.Repeated, name):
		out["repeated"] = true
	}
	if slices.Contains(k.m.API.Required[operation], name) {
		out["required"] = true
	}
	return out
}
