package openai

import (
	"regexp"
	"strings"

	"stoa.dev/stoa/internal/service/generate/api"
)

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
