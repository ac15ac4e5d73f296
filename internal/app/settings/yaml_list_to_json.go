package settings

import (
	"encoding/json"
	"fmt"

	"github.com/goccy/go-yaml"
)

// maxDocument bounds a file of the operator that is read whole.
const maxDocument = 1 << 20

// Documents is the list below one key of a YAML file, each element as JSON. Another
// key is an error.
func Documents(key, name string, text []byte) ([]json.RawMessage, error) {
	if len(text) > maxDocument {
		return nil, fmt.Errorf("%s: the file has more than %d bytes", name, maxDocument)
	}
	var tree map[string][]map[string]any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		return nil, fmt.Errorf("%s: %s", name, yaml.FormatError(err, false, true))
	}
	list := []json.RawMessage{}
	for found, elements := range tree {
		if found != key {
			return nil, fmt.Errorf("%s: %q is not known; the file is a list below %q", name, found, key)
		}
		for _, element := range elements {
			document, err := json.Marshal(element)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			list = append(list, document)
		}
	}
	return list, nil
}
