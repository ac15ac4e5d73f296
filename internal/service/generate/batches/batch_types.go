package batches

import (
	"encoding/json"
	"time"

	"stoa.dev/stoa/internal/service/generate/api"
)

// Method is what a batch asks the model for.
type Method string

// The methods that have batches.
const (
	GenerateContent Method = "generateContent"
	EmbedContent    Method = "embedContent"
)

// State is where a batch stands.
type State string

// The states of a batch; the last four are final.
const (
	Pending   State = "BATCH_STATE_PENDING"
	Running   State = "BATCH_STATE_RUNNING"
	Succeeded State = "BATCH_STATE_SUCCEEDED"
	Failed    State = "BATCH_STATE_FAILED"
	Cancelled State = "BATCH_STATE_CANCELLED"
	Expired   State = "BATCH_STATE_EXPIRED"
)

// Batch is a number of requests to one model.
type Batch struct {
	ID          string
	UserID      int64
	KeyID       int64
	Method      Method
	Model       string
	DisplayName string
	State       State
	// InputFile and OutputFile are ids of files; a batch with requests of its own has none.
	InputFile, OutputFile string
	// Error says why the batch as a whole failed.
	Error string
	// Size is what the items take, in bytes.
	Size                        int64
	Requests, Answered, Refused int64
	CreatedAt                   time.Time
	UpdatedAt                   time.Time
	// ExpiresAt is when the batch and its results are gone.
	ExpiresAt time.Time
}

// Done reports whether nothing more happens to the batch.
func (b Batch) Done() bool { return b.State != Pending && b.State != Running }

// deadline is when unanswered requests are given up.
func (b Batch) deadline() time.Time { return b.CreatedAt.Add(answerWithin) }

// Item is one request of a batch and what became of it: a response or an error.
type Item struct {
	Position int64
	// Key is the client's name of a line of a file.
	Key      string
	Metadata json.RawMessage
	Request  json.RawMessage
	Response json.RawMessage
	Code     api.Code
	Message  string
}

// answered reports whether something became of the item.
func (i Item) answered() bool { return len(i.Response) > 0 || i.Code != "" }
