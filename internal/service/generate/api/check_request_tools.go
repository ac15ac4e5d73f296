package api

import (
	"encoding/json"
	"fmt"
	"strings"
)

// NewPrompt checks everything about a request that needs no store. With degrades
// what the model lacks is left out and noted.
func NewPrompt(m Model, r *Request, degrades bool) (*Prompt, error) {
	p := &Prompt{Model: m, Mode: "AUTO", Contents: r.Contents, Degrades: degrades}
	if r.Model != "" && ModelID(r.Model) == "" {
		return nil, ErrInvalidField("model", "the name is empty")
	}
	if err := checkContents(r.Contents); err != nil {
		return nil, err
	}
	var err error
	if p.System, err = systemText(r.SystemInstruction); err != nil {
		return nil, err
	}
	if err := p.setTools(r.Tools); err != nil {
		return nil, err
	}
	if err := p.setToolConfig(r.ToolConfig); err != nil {
		return nil, err
	}
	if r.ServiceTier, err = resolveTier(r.ServiceTier); err != nil {
		return nil, err
	}
	if r.GenerationConfig != nil {
		p.Config = *r.GenerationConfig
	}
	return p, p.checkConfig()
}

// resolveTier takes both spellings in use: standard and SERVICE_TIER_STANDARD.
func resolveTier(e Enum) (Enum, error) {
	if word, ok := strings.CutPrefix(string(e), "SERVICE_TIER_"); ok {
		e = Enum(strings.ToLower(word))
	}
	t, err := serviceTiers.Resolve("serviceTier", e)
	if t == "unspecified" {
		t = "standard"
	}
	return t, err
}

// setTools keeps functions and code execution and refuses tools that would
// reach out of this server.
func (p *Prompt) setTools(tools []Tool) error {
	for i, tool := range tools {
		field := fmt.Sprintf("tools[%d]", i)
		for _, absent := range []struct {
			name string
			raw  json.RawMessage
		}{
			{"webSearch", tool.WebSearch}, {"webSearchRetrieval", tool.WebSearchRetrieval}, {"maps", tool.Maps},
			{"urlContext", tool.URLContext}, {"fileSearch", tool.FileSearch}, {"computerUse", tool.ComputerUse},
			{"mcpServers", tool.MCPServers},
		} {
			if !Given(absent.raw) {
				continue
			}
			if err := p.Lack(field+"."+absent.name,
				"this server has no such tool; it offers functionDeclarations and codeExecution"); err != nil {
				return err
			}
		}
		if Given(tool.CodeExecution) {
			var options map[string]json.RawMessage
			if json.Unmarshal(tool.CodeExecution, &options) != nil || len(options) > 0 {
				return ErrInvalidField(field+".codeExecution", "must be an empty object")
			}
			p.Code = true
		}
		for j := range tool.FunctionDeclarations {
			declared := fmt.Sprintf("%s.functionDeclarations[%d]", field, j)
			if err := p.addFunction(declared, &tool.FunctionDeclarations[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Prompt) addFunction(field string, d *FunctionDeclaration) error {
	if !ValidFunctionName(d.Name) {
		return ErrInvalidField(field+".name", "%q must start with a letter or underscore and hold at most 128 "+
			"letters, digits, underscores, dots, colons and dashes", d.Name)
	}
	if _, declared := p.Function(d.Name); declared {
		return ErrInvalidField(field+".name", "%q is declared twice", d.Name)
	}
	if len(p.Functions) == MaxFunctions {
		return ErrInvalidField("tools", "at most %d functions can be declared", MaxFunctions)
	}
	if d.Behavior != "" {
		if err := behaviors.ResolveInto(field+".behavior", &d.Behavior); err != nil {
			return err
		}
		if d.Behavior == "NON_BLOCKING" {
			return ErrInvalidField(field+".behavior",
				"NON_BLOCKING is for live sessions, which this server does not have")
		}
	}
	parameters, err := schemaOf(field+".parameters", d.Parameters, d.ParametersJSONSchema)
	if err != nil {
		return err
	}
	if _, err := schemaOf(field+".response", d.Response, d.ResponseJSONSchema); err != nil {
		return err
	}
	p.Functions = append(p.Functions, Function{d.Name, d.Description, parameters})
	return nil
}

func (p *Prompt) setToolConfig(c *ToolConfig) error {
	if c == nil {
		return nil
	}
	if c.IncludeServerSideToolInvocations {
		if err := p.Lack("toolConfig.includeServerSideToolInvocations",
			"this server has no server-side tools to report"); err != nil {
			return err
		}
	}
	if Given(c.RetrievalConfig) {
		if err := p.Lack("toolConfig.retrievalConfig", "this server has no retrieval tools"); err != nil {
			return err
		}
	}
	if c.FunctionCallingConfig == nil {
		return nil
	}
	const field = "toolConfig.functionCallingConfig"
	mode, err := callModes.Resolve(field+".mode", c.FunctionCallingConfig.Mode)
	if err != nil {
		return err
	}
	if mode == "MODE_UNSPECIFIED" {
		mode = "AUTO"
	}
	p.Mode, p.Allowed = mode, c.FunctionCallingConfig.AllowedFunctionNames
	if len(p.Allowed) > 0 && mode != "ANY" && mode != "VALIDATED" {
		return ErrInvalidField(field+".allowedFunctionNames", "is only allowed with the modes ANY and VALIDATED")
	}
	for _, name := range p.Allowed {
		if _, ok := p.Function(name); !ok {
			return ErrInvalidField(field+".allowedFunctionNames", "%q is not declared", name)
		}
	}
	if mode == "ANY" && len(p.Functions) == 0 {
		return ErrInvalidField(field+".mode", "ANY needs at least one function declaration")
	}
	return nil
}
