package api

import (
	"encoding/json"
	"fmt"
	"mime"
	"strings"
)

// Bounds of the contents of a request, whatever the model.
const (
	maxContents = 10_000
	maxParts    = 3600
)

func checkContents(contents []Content) error {
	if len(contents) == 0 {
		return ErrInvalidField("contents", "is required and must hold at least one content")
	}
	if len(contents) > maxContents {
		return ErrInvalidField("contents", "has %d entries, at most %d are allowed", len(contents), maxContents)
	}
	for i := range contents {
		if err := contents[i].Check(fmt.Sprintf("contents[%d]", i)); err != nil {
			return err
		}
	}
	return nil
}

// Check also gives the roles their one spelling.
func (c *Content) Check(field string) error {
	switch c.Role {
	case "", "function":
		c.Role = RoleUser
	case RoleUser, RoleModel:
	default:
		return ErrInvalidField(field+".role", "%q is not a valid role; use user or model", c.Role)
	}
	if len(c.Parts) == 0 {
		return ErrInvalidField(field+".parts", "must hold at least one part")
	}
	if len(c.Parts) > maxParts {
		return ErrInvalidField(field+".parts", "has %d entries, at most %d are allowed", len(c.Parts), maxParts)
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
		return ErrInvalidField(field, "must have exactly one of text, inlineData, fileData, functionCall, "+
			"functionResponse, executableCode and codeExecutionResult, not %d", kinds)
	}
	if p.ThoughtSignature != "" {
		if _, err := DecodeBase64(p.ThoughtSignature); err != nil {
			return ErrInvalidField(field+".thoughtSignature", "is not base64")
		}
	}
	switch {
	case p.InlineData != nil:
		return p.InlineData.check(field + ".inlineData")
	case p.FileData != nil && p.FileData.FileURI == "":
		return ErrInvalidField(field+".fileData.fileUri", "is required")
	case p.FunctionCall != nil:
		return checkFunction(field+".functionCall", p.FunctionCall.Name, "args", p.FunctionCall.Args)
	case p.FunctionResponse != nil:
		return p.FunctionResponse.check(field + ".functionResponse")
	case p.ExecutableCode != nil:
		return languages.ResolveInto(field+".executableCode.language", &p.ExecutableCode.Language)
	case p.CodeExecutionResult != nil:
		return outcomes.ResolveInto(field+".codeExecutionResult.outcome", &p.CodeExecutionResult.Outcome)
	}
	return nil
}

func (d *InlineData) check(field string) error {
	if _, _, err := mime.ParseMediaType(d.MimeType); err != nil || !strings.Contains(d.MimeType, "/") {
		return ErrInvalidField(field+".mimeType", "%q is not a media type", d.MimeType)
	}
	if d.Data == "" {
		return ErrInvalidField(field+".data", "is required")
	}
	if !isBase64(d.Data) {
		return ErrInvalidField(field+".data", "is not base64")
	}
	return nil
}

// checkFunction checks the name of a call or a result, and that its content is an
// object.
func checkFunction(field, name, member string, content json.RawMessage) error {
	if !ValidFunctionName(name) {
		return ErrInvalidField(field+".name", "%q is not a function name", name)
	}
	if Given(content) && content[0] != '{' {
		return ErrInvalidField(field+"."+member, "must be an object")
	}
	return nil
}

func (f *FunctionResponse) check(field string) error {
	if err := checkFunction(field, f.Name, "response", f.Response); err != nil || f.Scheduling == "" {
		return err
	}
	return schedulings.ResolveInto(field+".scheduling", &f.Scheduling)
}

// isBase64 checks without making a copy: requests hold many megabytes.
func isBase64(s string) bool {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
	body := strings.TrimRight(s, "=")
	return len(s)-len(body) <= 2 && len(body)%4 != 1 && strings.TrimLeft(body, alphabet) == ""
}

// systemText checks that a system instruction is text only.
func systemText(c *Content) (string, error) {
	if c == nil {
		return "", nil
	}
	if len(c.Parts) == 0 {
		return "", ErrInvalidField("systemInstruction.parts", "must hold at least one part")
	}
	for i, part := range c.Parts {
		field := fmt.Sprintf("systemInstruction.parts[%d]", i)
		if err := part.check(field); err != nil {
			return "", err
		}
		if part.Text == nil {
			return "", ErrInvalidField(field, "a system instruction is text only")
		}
	}
	return PlainText(c.Parts), nil
}
