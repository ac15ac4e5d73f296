package answers

import (
	"encoding/json"
	"os"
	"strings"
)

// Description is the part of an OpenAPI description that answers are held
// against.
type Description struct {
	operations map[string]map[string]Media
	components Components
}

// ReadDescription reads a file of docs/openapi.
func ReadDescription(file string) (*Description, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var d struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]struct {
					Schema *Shape `json:"schema"`
				} `json:"content"`
			} `json:"responses"`
		} `json:"paths"`
		Components struct {
			Schemas Components `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	out := &Description{operations: map[string]map[string]Media{}, components: d.Components.Schemas}
	for path, item := range d.Paths {
		for method, o := range item {
			statuses := map[string]Media{}
			for status, answer := range o.Responses {
				statuses[status] = Media{}
				for media, content := range answer.Content {
					statuses[status][media] = content.Schema
				}
			}
			out.operations[strings.ToUpper(method)+" "+path] = statuses
		}
	}
	return out, nil
}

// Refused is the status that stands for every answer that is not a success.
const Refused = "default"

// Unknown says what an answer shows that the description does not know, empty
// when nothing. Operations that are not described are not judged. An answer without a
// body has no media type and is judged by its status.
func (d *Description) Unknown(operation, status, media string, s *Shape) string {
	statuses, ok := d.operations[operation]
	if !ok {
		return ""
	}
	described, ok := statuses[status]
	if !ok {
		return "the answer has the status " + status
	}
	if media == "" {
		return ""
	}
	shape, ok := described[media]
	if !ok {
		return "the answer of status " + status + " is " + media
	}
	return d.components.Unknown(s, shape)
}
