package mergepatch

import (
	"bytes"
	"encoding/json"

	"stoa.dev/stoa/internal/platform/wire"
)

// Apply merges a patch into a document and decodes the result.
func Apply(doc any, patch []byte, into any) error {
	var checked json.RawMessage
	if err := wire.DecodeJSON(patch, &checked); err != nil {
		return err
	}
	var target, changes map[string]any
	if err := decode(checked, &changes); err != nil {
		return err
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	if err := decode(text, &target); err != nil {
		return err
	}
	if text, err = json.Marshal(merge(target, changes)); err != nil {
		return err
	}
	return wire.DecodeJSON(text, into)
}

// decode keeps numbers as they are written.
func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}

func merge(target, changes map[string]any) map[string]any {
	if target == nil {
		target = map[string]any{}
	}
	for name, value := range changes {
		switch value := value.(type) {
		case nil:
			delete(target, name)
		case map[string]any:
			inner, _ := target[name].(map[string]any)
			target[name] = merge(inner, value)
		default:
			target[name] = value
		}
	}
	return target
}
