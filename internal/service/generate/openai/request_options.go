package openai

import (
	"encoding/json"
	"strings"

	"stoa.dev/stoa/internal/service/generate/api"
)

// textList is one text, or a list of them.
type textList []string

// UnmarshalJSON takes both.
func (l *textList) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		*l = textList{""}
		return json.Unmarshal(b, &(*l)[0])
	}
	return json.Unmarshal(b, (*[]string)(l))
}

// answerFormat is the form that an answer must have. The schema stands beside
// the type in one API of this form and inside json_schema in the other.
type answerFormat struct {
	Type       string        `json:"type"`
	JSONSchema *schemaFormat `json:"json_schema,omitempty"`
	schemaFormat
}

type schemaFormat struct {
	Name        string          `json:"name,omitempty"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"`
	Strict      *bool           `json:"strict,omitempty"`
}

func (f *answerFormat) apply(field string, c *api.GenerationConfig) error {
	if f == nil {
		return nil
	}
	switch f.Type {
	case "text":
	case "json_object":
		c.ResponseMimeType = "application/json"
	case "json_schema":
		schema := f.Schema
		if f.JSONSchema != nil {
			schema = f.JSONSchema.Schema
		}
		if !api.Given(schema) {
			return api.ErrInvalidField(field, "json_schema needs a schema")
		}
		c.ResponseMimeType, c.ResponseJSONSchema = "application/json", schema
	default:
		return api.ErrInvalidField(field+".type", "%q is not one of text, json_object and json_schema", f.Type)
	}
	return nil
}

// thinking says how much a model shall think, in the words of the other form.
func thinking(field, effort string, c *api.GenerationConfig) error {
	switch effort {
	case "":
	case "none":
		off := 0
		c.ThinkingConfig = &api.ThinkingConfig{ThinkingBudget: &off}
	case "minimal", "low", "medium", "high":
		c.ThinkingConfig = &api.ThinkingConfig{ThinkingLevel: api.Enum(strings.ToUpper(effort))}
	case "xhigh":
		c.ThinkingConfig = &api.ThinkingConfig{ThinkingLevel: "HIGH"}
	default:
		return api.ErrInvalidField(field, "%q is not one of none, minimal, low, medium, high and xhigh", effort)
	}
	return nil
}

// seed folds a number of 64 bits into the 32 that models take.
func seed(n *int64) *int32 {
	if n == nil {
		return nil
	}
	folded := int32(*n ^ *n>>32)
	return &folded
}

// tier is the service tier in the words of the other form.
func tier(word string) (api.Enum, error) {
	switch word {
	case "", "auto", "default", "standard":
		return "standard", nil
	case "flex", "priority":
		return api.Enum(word), nil
	}
	return "", api.ErrInvalidField("service_tier", "%q is not one of auto, default, flex and priority", word)
}

// onlyText refuses other modalities of an answer.
func onlyText(modalities []string) error {
	for _, m := range modalities {
		if m != "text" {
			return api.ErrInvalidField("modalities", "models of this server answer in text only, not %s", m)
		}
	}
	return nil
}

// unsupported refuses members that are known and that no model here can honour.
func unsupported(members map[string]json.RawMessage) error {
	for name, raw := range members {
		if text := string(raw); api.Given(raw) && text != "{}" && text != "[]" && text != "false" {
			return api.ErrInvalidField(name, "no model of this server can honour this member")
		}
	}
	return nil
}
