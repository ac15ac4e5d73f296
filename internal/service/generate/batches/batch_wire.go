package batches

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/files"
)

// CreateRequest is the body that makes a batch.
type CreateRequest struct {
	Batch struct {
		Model       string `json:"model"`
		DisplayName string `json:"displayName"`
		InputConfig struct {
			FileName string `json:"fileName"`
			Requests *struct {
				Requests []inlinedRequest `json:"requests"`
			} `json:"requests"`
		} `json:"inputConfig"`
		Priority      json.Number     `json:"priority"`
		WebhookConfig json.RawMessage `json:"webhookConfig"`
	} `json:"batch"`
}

type inlinedRequest struct {
	Request  json.RawMessage `json:"request"`
	Metadata json.RawMessage `json:"metadata"`
}

// CreateFrom makes the batch of a body.
func (s *Service) CreateFrom(
	ctx context.Context, caller *identity.Caller, c CreateRequest, model string, m Method,
) (OperationJSON, error) {
	b, items, err := c.fromWire(model, m)
	if err == nil {
		b, err = s.Create(ctx, caller, b, items)
	}
	return b.toWire(nil), err
}

// fromWire refuses what cannot be honoured.
func (c CreateRequest) fromWire(model string, m Method) (Batch, []Item, error) {
	in := c.Batch.InputConfig
	b := Batch{Method: m, Model: model, DisplayName: c.Batch.DisplayName, InputFile: in.FileName}
	switch {
	case c.Batch.Model != "" && api.ModelID(c.Batch.Model) != model:
		return b, nil, api.ErrInvalidField("batch.model", "%q is not the model of the address, models/%s",
			c.Batch.Model, model)
	case c.Batch.Priority != "" && c.Batch.Priority != "0":
		return b, nil, api.ErrInvalidField("batch.priority", "batches of one caller are answered in turn; leave it out")
	case len(c.Batch.WebhookConfig) > 0 && string(c.Batch.WebhookConfig) != "null":
		return b, nil, api.ErrInvalidField("batch.webhookConfig", "this server calls no address; ask for the batch instead")
	case (in.FileName == "") == (in.Requests == nil):
		return b, nil, api.ErrInvalidField("batch.inputConfig", "give either fileName or requests")
	case in.Requests == nil:
		return b, nil, nil
	}
	items := make([]Item, len(in.Requests.Requests))
	for i, r := range in.Requests.Requests {
		items[i] = Item{Position: int64(i), Metadata: r.Metadata, Request: r.Request}
	}
	return b, items, nil
}

// OperationJSON is a batch as the long-running operation that it is.
type OperationJSON struct {
	Name     string      `json:"name"`
	Metadata batchJSON   `json:"metadata"`
	Done     bool        `json:"done,omitempty"`
	Error    *statusJSON `json:"error,omitempty"`
	Response *outputJSON `json:"response,omitempty"`
}

// ListJSON is a page of batches.
type ListJSON struct {
	Operations    []OperationJSON `json:"operations,omitempty"`
	NextPageToken string          `json:"nextPageToken,omitempty"`
}

type batchJSON struct {
	Name        string      `json:"name"`
	Model       string      `json:"model"`
	DisplayName string      `json:"displayName,omitempty"`
	State       State       `json:"state"`
	InputConfig inputJSON   `json:"inputConfig"`
	CreateTime  string      `json:"createTime"`
	UpdateTime  string      `json:"updateTime"`
	EndTime     string      `json:"endTime,omitempty"`
	BatchStats  statsJSON   `json:"batchStats"`
	Output      *outputJSON `json:"output,omitempty"`
}

type inputJSON struct {
	FileName string `json:"fileName,omitempty"`
}

// statsJSON has numbers as text, as the JSON of this API family writes large ones.
type statsJSON struct {
	RequestCount           string `json:"requestCount"`
	SuccessfulRequestCount string `json:"successfulRequestCount,omitempty"`
	FailedRequestCount     string `json:"failedRequestCount,omitempty"`
	PendingRequestCount    string `json:"pendingRequestCount,omitempty"`
}

type outputJSON struct {
	ResponsesFile    string        `json:"responsesFile,omitempty"`
	InlinedResponses *inlinedsJSON `json:"inlinedResponses,omitempty"`
}

type inlinedsJSON struct {
	InlinedResponses []resultJSON `json:"inlinedResponses"`
}

// resultJSON is what became of a request. Key stands in lines of files.
type resultJSON struct {
	Key      string          `json:"key,omitempty"`
	Response json.RawMessage `json:"response,omitempty"`
	Error    *statusJSON     `json:"error,omitempty"`
	Metadata json.RawMessage `json:"metadata,omitempty"`
}

type statusJSON struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// codeNumber is the number of a code, as statuses inside of answers have it.
func codeNumber(c api.Code) int {
	switch c {
	case api.CodeInvalidArgument:
		return 3
	case api.CodeDeadline:
		return 4
	case api.CodeNotFound:
		return 5
	case api.CodePermissionDenied:
		return 7
	case api.CodeExhausted:
		return 8
	case api.CodeFailedPrecondition:
		return 9
	case api.CodeUnavailable:
		return 14
	case api.CodeInternal:
	}
	return 13
}

func (i Item) toWire(line bool) resultJSON {
	out := resultJSON{Response: i.Response, Metadata: i.Metadata}
	if line {
		out.Key = i.Key
	}
	if i.Code != "" {
		out.Error = &statusJSON{codeNumber(i.Code), i.Message}
	}
	return out
}

// toWire is a batch; results are nil where they are not shown.
func (b Batch) toWire(results []Item) OperationJSON {
	count := func(n int64) string {
		if n == 0 {
			return ""
		}
		return strconv.FormatInt(n, 10)
	}
	m := batchJSON{
		Name: Prefix + b.ID, Model: "models/" + b.Model, DisplayName: b.DisplayName, State: b.State,
		CreateTime: stamp(b.CreatedAt), UpdateTime: stamp(b.UpdatedAt),
		BatchStats: statsJSON{
			strconv.FormatInt(b.Requests, 10), count(b.Answered), count(b.Refused),
			count(b.Requests - b.Answered - b.Refused),
		},
	}
	if b.InputFile != "" {
		m.InputConfig.FileName = files.Prefix + b.InputFile
	}
	out := OperationJSON{Name: m.Name, Done: b.Done()}
	if b.Done() {
		m.EndTime = m.UpdateTime
	}
	if b.OutputFile != "" {
		m.Output = &outputJSON{ResponsesFile: files.Prefix + b.OutputFile}
	}
	if results != nil {
		shown := &inlinedsJSON{}
		for _, i := range results {
			if i.answered() {
				shown.InlinedResponses = append(shown.InlinedResponses, i.toWire(false))
			}
		}
		m.Output = &outputJSON{InlinedResponses: shown}
	}
	switch b.State {
	case Succeeded:
		out.Response = m.Output
	case Failed:
		out.Error = &statusJSON{codeNumber(api.CodeInvalidArgument), b.Error}
	case Cancelled:
		out.Error = &statusJSON{1, cmp.Or(b.Error, "the batch was cancelled")}
	case Expired:
		out.Error = &statusJSON{codeNumber(api.CodeDeadline), "the batch was not answered within 48 hours"}
	case Pending, Running:
	}
	out.Metadata = m
	return out
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }
