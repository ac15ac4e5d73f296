package openai

import (
	"net/http"
	"regexp"
	"strings"

	"stoa.dev/stoa/internal/service/generate/api"
)

// ErrorBody is why a request failed, in the envelope of this form.
type ErrorBody struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

// Envelope is the body of an answer that is an error.
type Envelope struct {
	Error ErrorBody `json:"error"`
}

// NewError is an error with the type that goes with its status. Empty texts of
// param and code are null.
func NewError(status int, code, param, message string) ErrorBody {
	e := ErrorBody{Message: message, Type: "invalid_request_error"}
	switch {
	case status == http.StatusTooManyRequests:
		e.Type = "requests"
	case status >= http.StatusInternalServerError:
		e.Type = "server_error"
	}
	if code != "" {
		e.Code = &code
	}
	if param != "" {
		e.Param = &param
	}
	return e
}

var declaration = regexp.MustCompile(`^tools\[0\]\.functionDeclarations(\[\d+\])`)

// Param is a field of the other form as this one calls it. responses tells its
// two ways of asking for text apart.
func Param(field string, responses bool) string {
	word := func(chat, response string) string {
		if responses {
			return response
		}
		return chat
	}
	name, inConfig := strings.CutPrefix(field, "generationConfig.")
	switch {
	case !inConfig && (strings.HasPrefix(field, "contents") || strings.HasPrefix(field, "fileData")):
		return word("messages", "input")
	case strings.HasPrefix(field, "systemInstruction"):
		return word("messages", "instructions")
	case strings.HasPrefix(field, "requests"):
		if strings.HasSuffix(field, "outputDimensionality") {
			return "dimensions"
		}
		return "input"
	case strings.HasPrefix(field, "toolConfig"):
		return "tool_choice"
	case strings.HasPrefix(field, "cachedContent"), strings.HasPrefix(field, "safetySettings"):
		return "extra_body"
	case declaration.MatchString(field):
		return api.SnakeName(declaration.ReplaceAllString(field, "tools$1"))
	case !inConfig:
		return api.SnakeName(field)
	case name == "candidateCount":
		return "n"
	case name == "stopSequences":
		return "stop"
	case name == "maxOutputTokens":
		return word("max_completion_tokens", "max_output_tokens")
	case name == "logprobs":
		return "top_logprobs"
	case strings.HasPrefix(name, "thinkingConfig"):
		return word("reasoning_effort", "reasoning")
	case strings.HasPrefix(name, "response"):
		return word("response_format", "text.format")
	}
	return api.SnakeName(name)
}
