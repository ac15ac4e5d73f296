package describe

import (
	"reflect"
	"strings"
)

// Schema is the JSON Schema of what encoding/json makes of a value's type. An
// optional member (wire.Optional) may be null; what the type does not say, as in
// raw JSON, is left open.
func Schema(value any) Object { return schemaOf(reflect.TypeOf(value)) }

func schemaOf(t reflect.Type) Object {
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.String:
		return Object{"type": "string"}
	case reflect.Bool:
		return Object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return Object{"type": "integer"}
	case reflect.Float64:
		return Object{"type": "number"}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return Object{}
		}
		return Object{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Map:
		return Object{"type": "object", "additionalProperties": schemaOf(t.Elem())}
	case reflect.Struct:
		return structSchema(t)
	default:
		return Object{}
	}
}

func structSchema(t reflect.Type) Object {
	if value, ok := t.FieldByName("Value"); ok && strings.HasPrefix(t.Name(), "Optional[") {
		return Object{"anyOf": []Object{schemaOf(value.Type), {"type": "null"}}}
	}
	properties := Object{}
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		properties[name] = schemaOf(field.Type)
	}
	return Object{"type": "object", "properties": properties}
}
