package generate

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"strings"
)

// Bounds of a request that hold whatever the model.
const (
	maxCandidates    = 8
	maxStops         = 5
	maxFunctions     = 512
	maxLogprobs      = 20
	maxContents      = 10_000
	maxPartsContents = 3600
)

// functionName is what a function may be called.
func functionName(name string) bool {
	for i := 0; i < len(name); i++ {
		b := name[i] | 0x20
		letter := b >= 'a' && b <= 'z' || name[i] == '_'
		inside := name[i] >= '0' && name[i] <= '9' || name[i] == '.' || name[i] == ':' || name[i] == '-'
		if !letter && (i == 0 || !inside) {
			return false
		}
	}
	return name != "" && len(name) <= 128
}

// newPrompt checks everything about a request that needs no store.
func newPrompt(m ModelConfig, r *Request) (*Prompt, error) {
	p := &Prompt{Model: m, Mode: "AUTO"}
	if r.Model != "" && modelID(r.Model) == "" {
		return nil, errInvalid("model", "the name is empty")
	}
	if err := checkContents(r.Contents); err != nil {
		return nil, err
	}
	p.Contents = r.Contents
	system, err := systemText(r.SystemInstruction)
	if err != nil {
		return nil, err
	}
	p.System = system
	if err := p.setTools(r.Tools); err != nil {
		return nil, err
	}
	if err := p.setToolConfig(r.ToolConfig); err != nil {
		return nil, err
	}
	if r.ServiceTier, err = tier(r.ServiceTier); err != nil {
		return nil, err
	}
	if r.GenerationConfig != nil {
		p.Config = *r.GenerationConfig
	}
	return p, p.checkConfig()
}

// tier takes both spellings in use: standard and SERVICE_TIER_STANDARD.
func tier(e Enum) (Enum, error) {
	if word, ok := strings.CutPrefix(string(e), "SERVICE_TIER_"); ok {
		e = Enum(strings.ToLower(word))
	}
	t, err := serviceTiers().resolve("serviceTier", e)
	if t == "unspecified" {
		t = "standard"
	}
	return t, err
}

func checkContents(contents []Content) error {
	if len(contents) == 0 {
		return errInvalid("contents", "is required and must hold at least one content")
	}
	if len(contents) > maxContents {
		return errInvalid("contents", "has %d entries, at most %d are allowed", len(contents), maxContents)
	}
	for i := range contents {
		if err := contents[i].check(fmt.Sprintf("contents[%d]", i)); err != nil {
			return err
		}
	}
	return nil
}

// check also gives the roles their one spelling.
func (c *Content) check(field string) error {
	switch c.Role {
	case "", "function":
		c.Role = RoleUser
	case RoleUser, RoleModel:
	default:
		return errInvalid(field+".role", "%q is not a valid role; use user or model", c.Role)
	}
	if len(c.Parts) == 0 {
		return errInvalid(field+".parts", "must hold at least one part")
	}
	if len(c.Parts) > maxPartsContents {
		return errInvalid(field+".parts", "has %d entries, at most %d are allowed", len(c.Parts), maxPartsContents)
	}
	for i := range c.Parts {
		if err := c.Parts[i].check(fmt.Sprintf("%s.parts[%d]", field, i)); err != nil {
			return err
		}
	}
	return nil
}

func (p *Part) check(field string) error {
	kinds := 0
	for _, there := range []bool{
		p.Text != nil, p.InlineData != nil, p.FileData != nil, p.FunctionCall != nil, p.FunctionResponse != nil,
		p.ExecutableCode != nil, p.CodeExecutionResult != nil,
	} {
		if there {
			kinds++
		}
	}
	if kinds != 1 {
		return errInvalid(field, "must have exactly one of text, inlineData, fileData, functionCall, functionResponse, executableCode and codeExecutionResult, not %d", kinds)
	}
	if p.ThoughtSignature != "" {
		if _, err := decodeBase64(p.ThoughtSignature); err != nil {
			return errInvalid(field+".thoughtSignature", "is not base64")
		}
	}
	switch {
	case p.InlineData != nil:
		return p.InlineData.check(field + ".inlineData")
	case p.FileData != nil && p.FileData.FileURI == "":
		return errInvalid(field+".fileData.fileUri", "is required")
	case p.FunctionCall != nil:
		return p.FunctionCall.check(field + ".functionCall")
	case p.FunctionResponse != nil:
		return p.FunctionResponse.check(field + ".functionResponse")
	case p.ExecutableCode != nil:
		return resolveInto(&p.ExecutableCode.Language, languages(), field+".executableCode.language")
	case p.CodeExecutionResult != nil:
		return resolveInto(&p.CodeExecutionResult.Outcome, outcomes(), field+".codeExecutionResult.outcome")
	}
	return nil
}

func resolveInto(e *Enum, w words, field string) error {
	word, err := w.resolve(field, *e)
	if err == nil {
		*e = word
	}
	return err
}

func (d *InlineData) check(field string) error {
	if _, _, err := mime.ParseMediaType(d.MimeType); err != nil || !strings.Contains(d.MimeType, "/") {
		return errInvalid(field+".mimeType", "%q is not a media type", d.MimeType)
	}
	if d.Data == "" {
		return errInvalid(field+".data", "is required")
	}
	if !isBase64(d.Data) {
		return errInvalid(field+".data", "is not base64")
	}
	return nil
}

func (f *FunctionCall) check(field string) error {
	if !functionName(f.Name) {
		return errInvalid(field+".name", "%q is not a function name", f.Name)
	}
	if given(f.Args) && f.Args[0] != '{' {
		return errInvalid(field+".args", "must be an object")
	}
	return nil
}

func (f *FunctionResponse) check(field string) error {
	if !functionName(f.Name) {
		return errInvalid(field+".name", "%q is not a function name", f.Name)
	}
	if given(f.Response) && f.Response[0] != '{' {
		return errInvalid(field+".response", "must be an object")
	}
	if f.Scheduling == "" {
		return nil
	}
	return resolveInto(&f.Scheduling, schedulings(), field+".scheduling")
}

// isBase64 checks without making a copy: requests hold many megabytes.
func isBase64(s string) bool {
	body := strings.TrimRight(s, "=")
	if len(s)-len(body) > 2 || len(body)%4 == 1 {
		return false
	}
	for i := 0; i < len(body); i++ {
		b := body[i]
		ok := b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b == '+' || b == '/' || b == '-' || b == '_'
		if !ok {
			return false
		}
	}
	return true
}

// decodeBase64 takes the standard and the address-safe alphabet, padded or not.
func decodeBase64(s string) ([]byte, error) {
	s = strings.TrimRight(s, "=")
	if strings.ContainsAny(s, "-_") {
		return base64.RawURLEncoding.DecodeString(s)
	}
	return base64.RawStdEncoding.DecodeString(s)
}

// systemText holds the rule that a system instruction is text only.
func systemText(c *Content) (string, error) {
	if c == nil {
		return "", nil
	}
	if len(c.Parts) == 0 {
		return "", errInvalid("systemInstruction.parts", "must hold at least one part")
	}
	for i, part := range c.Parts {
		field := fmt.Sprintf("systemInstruction.parts[%d]", i)
		if err := part.check(field); err != nil {
			return "", err
		}
		if part.Text == nil {
			return "", errInvalid(field, "a system instruction is text only")
		}
	}
	return plainText(c.Parts), nil
}

// setTools keeps functions and code execution and refuses tools that would
// reach out of this server.
func (p *Prompt) setTools(tools []Tool) error {
	for i, tool := range tools {
		field := fmt.Sprintf("tools[%d]", i)
		for name, raw := range map[string]json.RawMessage{
			"webSearch": tool.WebSearch, "webSearchRetrieval": tool.WebSearchRetrieval, "maps": tool.Maps,
			"urlContext": tool.URLContext, "fileSearch": tool.FileSearch, "computerUse": tool.ComputerUse, "mcpServers": tool.MCPServers,
		} {
			if given(raw) {
				return errInvalid(field+"."+name, "this server has no such tool; it offers functionDeclarations and codeExecution")
			}
		}
		if given(tool.CodeExecution) {
			var options map[string]json.RawMessage
			if json.Unmarshal(tool.CodeExecution, &options) != nil || len(options) > 0 {
				return errInvalid(field+".codeExecution", "must be an empty object")
			}
			p.Code = true
		}
		for j := range tool.FunctionDeclarations {
			if err := p.addFunction(fmt.Sprintf("%s.functionDeclarations[%d]", field, j), &tool.FunctionDeclarations[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Prompt) addFunction(field string, d *FunctionDeclaration) error {
	if !functionName(d.Name) {
		return errInvalid(field+".name", "%q must start with a letter or underscore and hold at most 128 letters, digits, underscores, dots, colons and dashes", d.Name)
	}
	for _, have := range p.Functions {
		if have.Name == d.Name {
			return errInvalid(field+".name", "%q is declared twice", d.Name)
		}
	}
	if len(p.Functions) == maxFunctions {
		return errInvalid("tools", "at most %d functions can be declared", maxFunctions)
	}
	if d.Behavior != "" {
		if err := resolveInto(&d.Behavior, behaviors(), field+".behavior"); err != nil {
			return err
		}
		if d.Behavior == "NON_BLOCKING" {
			return errInvalid(field+".behavior", "NON_BLOCKING is for live sessions, which this server does not have")
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
		return errInvalid("toolConfig.includeServerSideToolInvocations", "this server has no server-side tools to report")
	}
	if given(c.RetrievalConfig) {
		return errInvalid("toolConfig.retrievalConfig", "this server has no retrieval tools")
	}
	if c.FunctionCallingConfig == nil {
		return nil
	}
	const field = "toolConfig.functionCallingConfig"
	mode, err := callModes().resolve(field+".mode", c.FunctionCallingConfig.Mode)
	if err != nil {
		return err
	}
	if mode == "MODE_UNSPECIFIED" {
		mode = "AUTO"
	}
	p.Mode, p.Allowed = mode, c.FunctionCallingConfig.AllowedFunctionNames
	if len(p.Allowed) > 0 && mode != "ANY" && mode != "VALIDATED" {
		return errInvalid(field+".allowedFunctionNames", "is only allowed with the modes ANY and VALIDATED")
	}
	for _, name := range p.Allowed {
		if _, ok := p.function(name); !ok {
			return errInvalid(field+".allowedFunctionNames", "%q is not declared", name)
		}
	}
	if mode == "ANY" && len(p.Functions) == 0 {
		return errInvalid(field+".mode", "ANY needs at least one function declaration")
	}
	return nil
}

func (p *Prompt) function(name string) (Function, bool) {
	for _, f := range p.Functions {
		if f.Name == name {
			return f, true
		}
	}
	return Function{}, false
}
