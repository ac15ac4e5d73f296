package engine

// Load says what the engine program is to open, and how.
type Load struct {
	// Libraries is the folder with the engine's shared libraries, Weights the
	// GGUF file.
	Libraries string `json:"libraries"`
	Weights   string `json:"weights"`
	// Threads is how many cores work, Context how many tokens one conversation
	// may have, Slots how many conversations are remembered.
	Threads int `json:"threads"`
	Context int `json:"context"`
	Slots   int `json:"slots"`
}

// Info describes an opened model.
type Info struct {
	Description string `json:"description"`
	// Vocabulary is the number of tokens, Trained the context it was trained
	// for, Context what one conversation has here, Width that of an embedding.
	Vocabulary int `json:"vocabulary"`
	Trained    int `json:"trained"`
	Context    int `json:"context"`
	Width      int `json:"width"`
}

// Message is one turn, in the words of chat templates: system, user, assistant.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Prompt asks for one answer.
type Prompt struct {
	Messages []Message `json:"messages"`
	// MaxTokens bounds the answer; the context does, too.
	MaxTokens int `json:"max_tokens"`
	// Temperature zero takes the likeliest token. TopP of 1 and TopK of 0 leave
	// all tokens in.
	Temperature float64 `json:"temperature"`
	TopP        float64 `json:"top_p"`
	TopK        int     `json:"top_k"`
	Presence    float64 `json:"presence,omitempty"`
	Frequency   float64 `json:"frequency,omitempty"`
	Seed        uint32  `json:"seed"`
	// Exact makes the answer a function of the prompt and the seed alone. Without
	// it, what is remembered of earlier turns is used down to the last token,
	// which changes the last digits of probabilities.
	Exact bool `json:"exact,omitempty"`
	// Stops end the answer where they begin.
	Stops []string `json:"stops,omitempty"`
	// Grammar is GBNF with the rule root. With a Trigger it holds from where the
	// answer begins to say that word, the word included.
	Grammar string `json:"grammar,omitempty"`
	Trigger string `json:"trigger,omitempty"`
	// Logprobs asks for the probabilities of tokens, Top for so many alternatives.
	Logprobs bool `json:"logprobs,omitempty"`
	Top      int  `json:"top,omitempty"`
}

// Token is one token of an answer.
type Token struct {
	Text    string  `json:"text"`
	ID      int     `json:"id"`
	Logprob float64 `json:"logprob"`
	Top     []Token `json:"top,omitempty"`
}

// Piece is the next text of an answer, in whole characters.
type Piece struct {
	Text   string  `json:"text,omitempty"`
	Tokens []Token `json:"tokens,omitempty"`
	// Done counts so far; its Ending is empty.
	Done Done `json:"done"`
}

// Ending is why an answer ended.
type Ending string

// The endings of an answer.
const (
	EndTurn      Ending = "turn"      // the model had said everything
	EndStop      Ending = "stop"      // a stop sequence was reached
	EndLength    Ending = "length"    // MaxTokens or the context is used up
	EndCancelled Ending = "cancelled" // the caller left
)

// Done counts what an answer took. Cached are tokens of the prompt that were
// remembered and did not have to be read again.
type Done struct {
	Ending Ending `json:"ending,omitempty"`
	Prompt int    `json:"prompt"`
	Cached int    `json:"cached"`
	Answer int    `json:"answer"`
}

// Score asks how likely a text is after a prefix.
type Score struct {
	Prefix string `json:"prefix"`
	Text   string `json:"text"`
}

// RepliesFile is the file of the engine program that replies are written to: its
// fourth, after input, output and errors.
const RepliesFile = 3

// request is what the server writes to the engine program. Load comes first
// and once; Cancel names the number of an earlier request.
type request struct {
	Number int64    `json:"number"`
	Load   *Load    `json:"load,omitempty"`
	Prompt *Prompt  `json:"prompt,omitempty"`
	Count  []string `json:"count,omitempty"`
	Embed  []string `json:"embed,omitempty"`
	Score  []Score  `json:"score,omitempty"`
	Cancel bool     `json:"cancel,omitempty"`
}

// reply is what comes back. Exactly one reply of a request ends it: one with
// Info, Done, Counts, Vectors, Scores or Refusal.
type reply struct {
	Number  int64       `json:"number"`
	Info    *Info       `json:"info,omitempty"`
	Piece   *Piece      `json:"piece,omitempty"`
	Done    *Done       `json:"done,omitempty"`
	Counts  []int       `json:"counts,omitempty"`
	Vectors [][]float32 `json:"vectors,omitempty"`
	Scores  []float64   `json:"scores,omitempty"`
	Refusal *Refusal    `json:"refusal,omitempty"`
}

// Refusal is why the engine did not do what it was asked.
type Refusal struct {
	Message string `json:"message"`
	// Caller is true when the prompt is at fault, not the engine.
	Caller bool `json:"caller,omitempty"`
}

func (r *Refusal) Error() string { return r.Message }
