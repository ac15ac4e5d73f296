package api

import "encoding/json"

// Tool offers the model something to call. Members that name services outside
// this server are read so that they can be refused with a reason.
type Tool struct {
	FunctionDeclarations []FunctionDeclaration `json:"functionDeclarations,omitempty"`
	CodeExecution        json.RawMessage       `json:"codeExecution,omitempty"`
	WebSearch            json.RawMessage       `json:"webSearch,omitempty"`
	WebSearchRetrieval   json.RawMessage       `json:"webSearchRetrieval,omitempty"`
	Maps                 json.RawMessage       `json:"maps,omitempty"`
	URLContext           json.RawMessage       `json:"urlContext,omitempty"`
	FileSearch           json.RawMessage       `json:"fileSearch,omitempty"`
	ComputerUse          json.RawMessage       `json:"computerUse,omitempty"`
	MCPServers           json.RawMessage       `json:"mcpServers,omitempty"`
}

// FunctionDeclaration describes a function of the client.
type FunctionDeclaration struct {
	Name                 string          `json:"name"`
	Description          string          `json:"description,omitempty"`
	Parameters           *Schema         `json:"parameters,omitempty"`
	ParametersJSONSchema json.RawMessage `json:"parametersJsonSchema,omitempty"`
	Response             *Schema         `json:"response,omitempty"`
	ResponseJSONSchema   json.RawMessage `json:"responseJsonSchema,omitempty"`
	Behavior             Enum            `json:"behavior,omitempty"`
}

// ToolConfig says how tools may be used.
type ToolConfig struct {
	FunctionCallingConfig            *FunctionCallingConfig `json:"functionCallingConfig,omitempty"`
	RetrievalConfig                  json.RawMessage        `json:"retrievalConfig,omitempty"`
	IncludeServerSideToolInvocations bool                   `json:"includeServerSideToolInvocations,omitempty"`
}

// FunctionCallingConfig says whether the model may, must or must not call.
type FunctionCallingConfig struct {
	Mode                 Enum     `json:"mode,omitempty"`
	AllowedFunctionNames []string `json:"allowedFunctionNames,omitempty"`
}

// SafetySetting is a threshold for one category.
type SafetySetting struct {
	Category  Enum `json:"category"`
	Threshold Enum `json:"threshold"`
}

// GenerationConfig shapes the answer. Pointers tell absent from zero.
type GenerationConfig struct {
	StopSequences              []string        `json:"stopSequences,omitempty"`
	CandidateCount             *int            `json:"candidateCount,omitempty"`
	MaxOutputTokens            *int            `json:"maxOutputTokens,omitempty"`
	Temperature                *float64        `json:"temperature,omitempty"`
	TopP                       *float64        `json:"topP,omitempty"`
	TopK                       *float64        `json:"topK,omitempty"`
	Seed                       *int32          `json:"seed,omitempty"`
	PresencePenalty            *float64        `json:"presencePenalty,omitempty"`
	FrequencyPenalty           *float64        `json:"frequencyPenalty,omitempty"`
	ResponseLogprobs           bool            `json:"responseLogprobs,omitempty"`
	Logprobs                   *int            `json:"logprobs,omitempty"`
	ResponseMimeType           string          `json:"responseMimeType,omitempty"`
	ResponseSchema             *Schema         `json:"responseSchema,omitempty"`
	ResponseJSONSchema         json.RawMessage `json:"responseJsonSchema,omitempty"`
	OldResponseJSONSchema      json.RawMessage `json:"_responseJsonSchema,omitempty"`
	ResponseModalities         []Enum          `json:"responseModalities,omitempty"`
	ThinkingConfig             *ThinkingConfig `json:"thinkingConfig,omitempty"`
	MediaResolution            Enum            `json:"mediaResolution,omitempty"`
	SpeechConfig               json.RawMessage `json:"speechConfig,omitempty"`
	ImageConfig                json.RawMessage `json:"imageConfig,omitempty"`
	ResponseFormat             json.RawMessage `json:"responseFormat,omitempty"`
	EnableEnhancedCivicAnswers bool            `json:"enableEnhancedCivicAnswers,omitempty"`
}

// ThinkingConfig asks for, shows or turns off thoughts.
type ThinkingConfig struct {
	IncludeThoughts bool `json:"includeThoughts,omitempty"`
	ThinkingBudget  *int `json:"thinkingBudget,omitempty"`
	ThinkingLevel   Enum `json:"thinkingLevel,omitempty"`
}

// Request is what generateContent is asked.
type Request struct {
	Model             string            `json:"model,omitempty"`
	Contents          []Content         `json:"contents"`
	Tools             []Tool            `json:"tools,omitempty"`
	ToolConfig        *ToolConfig       `json:"toolConfig,omitempty"`
	SafetySettings    []SafetySetting   `json:"safetySettings,omitempty"`
	SystemInstruction *Content          `json:"systemInstruction,omitempty"`
	GenerationConfig  *GenerationConfig `json:"generationConfig,omitempty"`
	CachedContent     string            `json:"cachedContent,omitempty"`
	ServiceTier       Enum              `json:"serviceTier,omitempty"`
	Store             *bool             `json:"store,omitempty"`

	// Spelling is how the client wrote the members.
	Spelling Spelling `json:"-"`
}
