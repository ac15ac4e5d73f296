package api

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"
)

// Content is one turn of a conversation.
type Content struct {
	Role  string `json:"role,omitempty"`
	Parts []Part `json:"parts,omitempty"`
}

// The roles of a turn. The older role function is read as user.
const (
	RoleUser  = "user"
	RoleModel = "model"
)

// Part holds exactly one kind of data, and facts about it.
type Part struct {
	Text                *string              `json:"text,omitempty"`
	InlineData          *InlineData          `json:"inlineData,omitempty"`
	FileData            *FileData            `json:"fileData,omitempty"`
	FunctionCall        *FunctionCall        `json:"functionCall,omitempty"`
	FunctionResponse    *FunctionResponse    `json:"functionResponse,omitempty"`
	ExecutableCode      *ExecutableCode      `json:"executableCode,omitempty"`
	CodeExecutionResult *CodeExecutionResult `json:"codeExecutionResult,omitempty"`

	Thought          bool            `json:"thought,omitempty"`
	ThoughtSignature string          `json:"thoughtSignature,omitempty"`
	VideoMetadata    json.RawMessage `json:"videoMetadata,omitempty"`
	MediaResolution  json.RawMessage `json:"mediaResolution,omitempty"`
	PartMetadata     json.RawMessage `json:"partMetadata,omitempty"`
}

// Given reports whether a free-form member is there and not null.
func Given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// ObjectText is a free-form object, empty when it is not given.
func ObjectText(raw json.RawMessage) string {
	if !Given(raw) {
		return "{}"
	}
	return string(raw)
}

// Text is a part of plain text.
func Text(s string) Part { return Part{Text: &s} }

// InlineData is media inside the request, in base64.
type InlineData struct {
	MimeType    string `json:"mimeType"`
	Data        string `json:"data"`
	DisplayName string `json:"displayName,omitempty"`
}

// FileData names an uploaded file.
type FileData struct {
	MimeType    string `json:"mimeType,omitempty"`
	FileURI     string `json:"fileUri"`
	DisplayName string `json:"displayName,omitempty"`
}

// FunctionCall is a model's wish to call a declared function.
type FunctionCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

// FunctionResponse is what the function answered.
type FunctionResponse struct {
	ID           string          `json:"id,omitempty"`
	Name         string          `json:"name"`
	Response     json.RawMessage `json:"response,omitempty"`
	Parts        []Part          `json:"parts,omitempty"`
	WillContinue bool            `json:"willContinue,omitempty"`
	Scheduling   Enum            `json:"scheduling,omitempty"`
}

// ExecutableCode is code the model wants to run.
type ExecutableCode struct {
	ID       string `json:"id,omitempty"`
	Language Enum   `json:"language"`
	Code     string `json:"code"`
}

// CodeExecutionResult is what running it gave.
type CodeExecutionResult struct {
	ID      string `json:"id,omitempty"`
	Outcome Enum   `json:"outcome"`
	Output  string `json:"output,omitempty"`
}

// PlainText joins the text parts, without thoughts.
func PlainText(parts []Part) string {
	var texts []string
	for i := range parts {
		if parts[i].Text != nil && *parts[i].Text != "" && !parts[i].Thought {
			texts = append(texts, *parts[i].Text)
		}
	}
	return strings.Join(texts, "\n")
}

var functionName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$`)

// ValidFunctionName reports whether a function may have the name.
func ValidFunctionName(name string) bool { return functionName.MatchString(name) }

// DecodeBase64 takes the standard and the address-safe alphabet, padded or not.
func DecodeBase64(s string) ([]byte, error) {
	s = strings.TrimRight(s, "=")
	if strings.ContainsAny(s, "-_") {
		return base64.RawURLEncoding.DecodeString(s)
	}
	return base64.RawStdEncoding.DecodeString(s)
}

// FirstChars is the start of a text without its outer blanks.
func FirstChars(s string, limit int) string {
	s = strings.TrimSpace(s)
	for i := range s {
		if limit == 0 {
			return s[:i]
		}
		limit--
	}
	return s
}
