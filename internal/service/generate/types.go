package generate

import (
	"encoding/json"
	"time"
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

// given tells a free-form member from one that is absent or null.
func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// text is a part of plain text.
func text(s string) Part { return Part{Text: &s} }

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
}

// Response is a whole answer, and also one chunk of a stream.
type Response struct {
	Candidates     []Candidate     `json:"candidates,omitempty"`
	PromptFeedback *PromptFeedback `json:"promptFeedback,omitempty"`
	UsageMetadata  Usage           `json:"usageMetadata"`
	ModelVersion   string          `json:"modelVersion"`
	ResponseID     string          `json:"responseId"`
	ModelStatus    ModelStatus     `json:"modelStatus"`
}

// Candidate is one of the answers.
type Candidate struct {
	Content        *Content        `json:"content,omitempty"`
	FinishReason   string          `json:"finishReason,omitempty"`
	FinishMessage  string          `json:"finishMessage,omitempty"`
	Index          int             `json:"index"`
	SafetyRatings  []SafetyRating  `json:"safetyRatings,omitempty"`
	TokenCount     int             `json:"tokenCount,omitempty"`
	AvgLogprobs    *float64        `json:"avgLogprobs,omitempty"`
	LogprobsResult *LogprobsResult `json:"logprobsResult,omitempty"`
}

// The reasons why a candidate ended that backends and the safety filter give.
const (
	FinishStop      = "STOP"
	FinishMaxTokens = "MAX_TOKENS"
	FinishSafety    = "SAFETY"
	FinishOther     = "OTHER"
)

// LogprobsResult tells the probability of every token chosen.
type LogprobsResult struct {
	TopCandidates    []TopCandidates `json:"topCandidates,omitempty"`
	ChosenCandidates []TokenLogprob  `json:"chosenCandidates,omitempty"`
}

// TopCandidates are the likeliest tokens at one place.
type TopCandidates struct {
	Candidates []TokenLogprob `json:"candidates"`
}

// TokenLogprob is one token and its logarithmic probability.
type TokenLogprob struct {
	Token          string  `json:"token"`
	TokenID        int     `json:"tokenId,omitempty"`
	LogProbability float64 `json:"logProbability"`
}

// PromptFeedback says why a prompt was not answered.
type PromptFeedback struct {
	BlockReason   string         `json:"blockReason,omitempty"`
	SafetyRatings []SafetyRating `json:"safetyRatings,omitempty"`
}

// SafetyRating is the classifier's word on one category.
type SafetyRating struct {
	Category    string `json:"category"`
	Probability string `json:"probability"`
	Blocked     bool   `json:"blocked,omitempty"`
}

// Usage counts tokens. The contract's total is prompt plus candidates.
type Usage struct {
	PromptTokenCount           int             `json:"promptTokenCount"`
	CachedContentTokenCount    int             `json:"cachedContentTokenCount"`
	CandidatesTokenCount       int             `json:"candidatesTokenCount"`
	ToolUsePromptTokenCount    int             `json:"toolUsePromptTokenCount"`
	ThoughtsTokenCount         int             `json:"thoughtsTokenCount"`
	TotalTokenCount            int             `json:"totalTokenCount"`
	PromptTokensDetails        []ModalityCount `json:"promptTokensDetails"`
	CacheTokensDetails         []ModalityCount `json:"cacheTokensDetails"`
	CandidatesTokensDetails    []ModalityCount `json:"candidatesTokensDetails"`
	ToolUsePromptTokensDetails []ModalityCount `json:"toolUsePromptTokensDetails"`
}

// ModalityCount is the share of one kind of media.
type ModalityCount struct {
	Modality   string `json:"modality"`
	TokenCount int    `json:"tokenCount"`
}

// ModelStatus tells how far a model is from its retirement.
type ModelStatus struct {
	ModelStage string `json:"modelStage"`
	Message    string `json:"message,omitempty"`
}

// File is uploaded media.
type File struct {
	ID          string
	UserID      int64
	DisplayName string
	MimeType    string
	Size        int64
	SHA256      string // hexadecimal
	State       FileState
	Blob        string
	// Tokens is what the file weighs in a prompt, known once it is ACTIVE.
	Tokens    int
	Error     string
	CreatedAt time.Time
	UpdatedAt time.Time
	ExpiresAt time.Time
}

// FileState is where an uploaded file stands.
type FileState string

// A finished upload is PROCESSING until its job has looked at the bytes.
const (
	FileProcessing FileState = "PROCESSING"
	FileActive     FileState = "ACTIVE"
	FileFailed     FileState = "FAILED"
)

// Upload is a file whose bytes are still arriving.
type Upload struct {
	// Digest is the hash of the secret upload id.
	Digest      string
	UserID      int64
	FileID      string
	DisplayName string
	MimeType    string
	Length      int64 // -1: not announced
	// Received is how much of an upload of unknown length is known to be there;
	// the truth is the offset of its bytes.
	Received  int64
	Blob      string
	State     UploadState
	CreatedAt time.Time
	ExpiresAt time.Time
}

// UploadState is what the status header of an upload says.
type UploadState string

// The states of an upload session.
const (
	UploadActive    UploadState = "active"
	UploadFinal     UploadState = "final"
	UploadCancelled UploadState = "cancelled"
)

// Cache is content that many requests share as the start of their prompt.
type Cache struct {
	ID          string
	UserID      int64
	Model       string
	DisplayName string
	Prefix      CachePrefix
	Size        int64 // of the prefix, as it is stored
	Tokens      []ModalityCount
	CreatedAt   time.Time
	UpdatedAt   time.Time
	ExpiresAt   time.Time
}

// CachePrefix is the part of a request that a cache stands for.
type CachePrefix struct {
	Contents          []Content   `json:"contents,omitempty"`
	SystemInstruction *Content    `json:"systemInstruction,omitempty"`
	Tools             []Tool      `json:"tools,omitempty"`
	ToolConfig        *ToolConfig `json:"toolConfig,omitempty"`
}

// LogEntry is one stored request with its answer.
type LogEntry struct {
	ID     int64  `json:"id"`
	UserID int64  `json:"user_id"`
	KeyID  int64  `json:"key_id"`
	Model  string `json:"model"`
	// Asked and Said are the first words of both, for lists.
	Asked     string          `json:"-"`
	Said      string          `json:"-"`
	Request   json.RawMessage `json:"request"`
	Response  json.RawMessage `json:"response"`
	CreatedAt time.Time       `json:"created_at"`
	ExpiresAt time.Time       `json:"expires_at"`
}
