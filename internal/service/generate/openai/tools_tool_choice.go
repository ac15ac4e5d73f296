package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	"stoa.dev/stoa/internal/service/generate/api"
)

// tool is a function, as either API of this form spells it: with its members
// inside function, or beside the type.
type tool struct {
	Type     string        `json:"type"`
	Function *toolFunction `json:"function,omitempty"`
	toolFunction
}

type toolFunction struct {
	Name        string          `json:"name,omitempty"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Strict      *bool           `json:"strict,omitempty"`
}

// addTools declares the functions.
func addTools(r *api.Request, tools []tool) error {
	if len(tools) == 0 {
		return nil
	}
	declared := make([]api.FunctionDeclaration, 0, len(tools))
	for i := range tools {
		t := &tools[i]
		if t.Type != "function" {
			return api.ErrInvalidField(fmt.Sprintf("tools[%d].type", i),
				"%q is not a tool of this server; it offers function", t.Type)
		}
		f := t.toolFunction
		if t.Function != nil {
			f = *t.Function
		}
		declared = append(declared, api.FunctionDeclaration{
			Name: f.Name, Description: f.Description, ParametersJSONSchema: f.Parameters,
		})
	}
	r.Tools = []api.Tool{{FunctionDeclarations: declared}}
	return nil
}

// toolChoice is none, auto, required, or the function that must be called.
type toolChoice struct {
	mode, name string
}

// UnmarshalJSON takes a word or an object.
func (c *toolChoice) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &c.mode)
	}
	var named tool
	if err := strict(b, &named); err != nil {
		return err
	}
	if c.mode, c.name = named.Type, named.Name; named.Function != nil {
		c.name = named.Function.Name
	}
	return nil
}

// MarshalJSON writes the choice as responses echo it.
func (c toolChoice) MarshalJSON() ([]byte, error) {
	if c.name != "" {
		return json.Marshal(map[string]string{"type": "function", "name": c.name})
	}
	if c.mode == "" {
		return json.Marshal("auto")
	}
	return json.Marshal(c.mode)
}

func (c toolChoice) apply(r *api.Request) error {
	config := &api.FunctionCallingConfig{}
	switch {
	case c.mode == "":
		return nil
	case c.mode == "function" && c.name != "":
		config.Mode, config.AllowedFunctionNames = "ANY", []string{c.name}
	case c.mode == "required":
		config.Mode = "ANY"
	case c.mode == "none" || c.mode == "auto":
		config.Mode = api.Enum(strings.ToUpper(c.mode))
	default:
		return api.ErrInvalidField("tool_choice", "%q is not one of none, auto, required and a function", c.mode)
	}
	r.ToolConfig = &api.ToolConfig{FunctionCallingConfig: config}
	return nil
}
