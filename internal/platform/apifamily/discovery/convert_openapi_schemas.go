package discovery

import "strings"

// bodySchema is the name of the schema of a body, which may be one without a name.
func (k *maker) bodySchema(b body, operation string) string {
	for media, content := range b.Content {
		if !strings.HasPrefix(media, "application/json") || len(content.Schema) == 0 {
			continue
		}
		if ref, ok := content.Schema["$ref"].(string); ok {
			return schemaName(ref)
		}
		name := ""
		for _, word := range strings.Split(operation, ".") {
			name += strings.ToUpper(word[:1]) + word[1:]
		}
		k.define(name, content.Schema)
		return name
	}
	return ""
}

// define adds a schema under a name.
func (k *maker) define(name string, schema object) {
	out := converted(schema)
	out["id"] = name
	k.schemas[name] = out
}

func schemaName(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// converted is a JSON Schema in the older form that descriptions of the family have: one
// type, and references by name.
func converted(schema object) object {
	if ref, ok := schema["$ref"].(string); ok {
		return object{"$ref": schemaName(ref)}
	}
	for _, choice := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := schema[choice].([]any)
		for _, one := range list {
			if inner, ok := one.(object); ok && inner["type"] != "null" {
				return converted(inner)
			}
		}
	}
	out := object{"type": "any"}
	switch t := schema["type"].(type) {
	case string:
		out["type"] = t
	case []any:
		for _, one := range t {
			if one != "null" {
				out["type"] = one
			}
		}
	}
	if items, ok := schema["items"].(object); ok {
		out["items"] = converted(items)
	}
	if more, ok := schema["additionalProperties"].(object); ok {
		out["additionalProperties"] = converted(more)
	}
	if properties, ok := schema["properties"].(object); ok {
		members := object{}
		for name, member := range properties {
			if inner, ok := member.(object); ok {
				members[name] = converted(inner)
			}
		}
		out["properties"] = members
	}
	if out["type"] == "integer" {
		out["format"] = "int32"
	}
	return out
}
