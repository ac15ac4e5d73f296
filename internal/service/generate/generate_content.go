package generate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database/rowmemory"
	"stoa.dev/stoa/internal/platform/route/wirefault"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/requestlog"
	"stoa.dev/stoa/internal/service/generate/tokens"
)

// session is one request on its way to an answer.
type session struct {
	service *Service
	caller  *identity.Caller
	request *api.Request
	prompt  *api.Prompt
	filter  filter
	// feedback is set when the prompt is blocked.
	feedback *api.PromptFeedback
	usage    api.Usage
	version  string
	id       string
	// memory is what the session takes beyond its body: the cached content and
	// the files that it names.
	memory *budget.Grant
}

// cacheWeight is what a byte of cached content stands for in memory: the text,
// what is decoded of it, and what is sent on.
const cacheWeight = 4

// ownerOf is whose budgets a request uses.
func ownerOf(caller *identity.Caller) budget.Owner { return budget.Caller(callerKey(caller)) }

func (e *session) end() { e.memory.Release() }

// Generate answers a request as a whole.
func (s *Service) Generate(
	ctx context.Context, caller *identity.Caller, id string, r *api.Request,
) (*api.Response, error) {
	e, err := s.begin(ctx, caller, id, methodGenerate, r)
	if err != nil {
		return nil, err
	}
	defer e.end()
	var whole api.Response
	limited, cancel := e.limitWhole(ctx)
	defer cancel()
	err = e.run(limited, func(chunk api.Response) error { whole.Append(chunk); return nil })
	whole.JoinTexts()
	if errors.Is(context.Cause(limited), errSlow) {
		err = e.cutOff(&whole, err)
	}
	return &whole, e.finish(ctx, &whole, err)
}

// slowRetry is when a model that said nothing in time may be asked again.
const slowRetry = 30 * time.Second

// errSlow ends an answer that its caller would not wait for.
var errSlow = errors.New("generate: the answer takes longer than clients wait")

// limitWhole bounds an answer that is not streamed, where another model was asked for than answers:
// clients wait five minutes for the headers of an answer, and a small model may talk for longer.
func (e *session) limitWhole(ctx context.Context) (context.Context, context.CancelFunc) {
	if !e.prompt.Degrades {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, e.service.wholeTime, errSlow)
}

// cutOff ends an answer as a limit of tokens does, and says why. Where no word was said yet, there is
// no answer to give.
func (e *session) cutOff(whole *api.Response, cause error) error {
	if cause == nil {
		return nil
	}
	if whole.FirstText() == "" {
		return &api.Error{
			Code: api.CodeDeadline, Cause: cause, RetryAfter: slowRetry,
			Message: fmt.Sprintf("%s said nothing within %s; ask again later, or stream the answer",
				e.prompt.Model.ID, e.service.wholeTime),
		}
	}
	err := e.prompt.Lack("maxOutputTokens", "%s did not end within %s; stream the answer to get more of it",
		e.prompt.Model.ID, e.service.wholeTime)
	noted := e.chunk(nil)
	whole.Notes, whole.ModelStatus = noted.Notes, noted.ModelStatus
	for i := range whole.Candidates {
		if whole.Candidates[i].FinishReason == "" {
			whole.Candidates[i].FinishReason = "MAX_TOKENS"
		}
	}
	return err
}

// Stream answers a request piece by piece. What send gets are chunks of the
// answer that Generate would give.
func (s *Service) Stream(
	ctx context.Context, caller *identity.Caller, id string, r *api.Request, send func(api.Response) error,
) error {
	e, err := s.begin(ctx, caller, id, methodStream, r)
	if err != nil {
		return err
	}
	defer e.end()
	e.prompt.Streams = true
	var whole api.Response
	err = e.run(ctx, func(chunk api.Response) error {
		if e.stored() {
			whole.Append(chunk)
		}
		return send(chunk)
	})
	whole.JoinTexts()
	return e.finish(ctx, &whole, err)
}

// begin checks, unfolds the cache, counts, charges and judges the prompt.
func (s *Service) begin(
	ctx context.Context, caller *identity.Caller, id, method string, r *api.Request,
) (_ *session, err error) {
	m, err := s.requestedModel(id, method, r)
	if err != nil {
		return nil, err
	}
	e := &session{service: s, caller: caller, request: r, version: modelVersion(m), id: s.world.IDs.Token()[:22]}
	defer func() {
		if err != nil {
			e.end()
		}
	}()
	cached, err := e.unfold(ctx, m, id)
	if err != nil {
		return nil, err
	}
	if e.filter, err = newFilter(s.classifier, r.SafetySettings, api.Enum(s.config.SafetyThreshold)); err != nil {
		return nil, err
	}
	e.prompt.Owner = ownerOf(caller)
	e.prompt.Run = func(ctx context.Context, code string) *api.CodeExecutionResult {
		return s.code.run(ctx, e.prompt.Owner, code)
	}
	e.prompt.Media = func(ctx context.Context, f *api.FileData) (string, []byte, error) {
		return s.files.Media(ctx, caller.UserID, f, e.memory.Grow)
	}
	if err := e.count(ctx, m, m.InputTokenLimit, cached); err != nil {
		return nil, err
	}
	if e.prompt.Degrades && !e.fits() {
		if err := e.shorten(ctx); err != nil {
			return nil, err
		}
	} else if e.usage.PromptTokenCount > m.InputTokenLimit {
		return nil, api.ErrInvalidField("contents",
			"the input has more than the %d tokens that the model takes", m.InputTokenLimit)
	}
	if err := s.charge(ctx, caller, m, e.usage.PromptTokenCount); err != nil {
		return nil, err
	}
	e.judgePrompt()
	return e, nil
}

// requestedModel is the model of an address, which the body may name too.
func (s *Service) requestedModel(id, method string, r *api.Request) (api.Model, error) {
	m, err := s.Model(id, method)
	if err == nil && r.Model != "" && api.ModelID(r.Model) != id {
		err = api.ErrInvalidField("model", "%q is not the model of the address, models/%s", r.Model, id)
	}
	return m, err
}

// unfold puts the cached content before the request's own.
func (e *session) unfold(ctx context.Context, m api.Model, id string) (cached tokens.Counts, err error) {
	r := e.request
	whole := *r
	if e.memory, err = e.service.world.Memory.Take(ctx, ownerOf(e.caller), 0); err != nil {
		return tokens.Counts{}, err
	}
	if r.CachedContent != "" {
		if r.SystemInstruction != nil || len(r.Tools) > 0 || r.ToolConfig != nil {
			return tokens.Counts{}, api.ErrInvalidField("cachedContent", "a request with cachedContent must not set "+
				"systemInstruction, tools or toolConfig; they belong into the cached content")
		}
		if len(r.Contents) == 0 {
			return tokens.Counts{}, api.ErrInvalidField("contents", "is required and must hold at least one content")
		}
		c, err := e.service.Cache(ctx, e.caller.UserID, r.CachedContent)
		if err != nil {
			return tokens.Counts{}, err
		}
		if api.ModelID(c.Model) != id {
			return tokens.Counts{}, api.ErrInvalidField("cachedContent",
				"was made for %s and serves that model only", c.Model)
		}
		if err := e.memory.Grow(cacheWeight * c.Size); err != nil {
			return tokens.Counts{}, err
		}
		prefix, err := cachePrefixByID(rowmemory.Elsewhere(ctx), e.service.world.DB, c.ID)
		if err != nil {
			return tokens.Counts{}, err
		}
		whole.Contents = append(prefix.Contents, r.Contents...)
		whole.SystemInstruction = prefix.SystemInstruction
		whole.Tools, whole.ToolConfig = prefix.Tools, prefix.ToolConfig
		cached = tokens.FromDetails(c.Tokens)
	}
	e.prompt, err = api.NewPrompt(m, &whole, m.ID != id)
	r.ServiceTier = whole.ServiceTier
	return cached, err
}

// count sets the usage of the prompt. Beyond limit it need not be exact.
func (e *session) count(ctx context.Context, m api.Model, limit int, cached tokens.Counts) error {
	s, r := e.service, e.request
	place, err := s.takeCounting(ctx, ownerOf(e.caller), tokens.RequestBytes(r.Contents, r.SystemInstruction, r.Tools))
	if err != nil {
		return err
	}
	defer place.Release()
	counter := s.requestCounter(m, limit, e.caller.UserID, e.prompt.Config.MediaResolution)
	all, err := counter.Contents(ctx, r.Contents, r.SystemInstruction, r.Tools)
	if err != nil {
		return err
	}
	all.Add(cached)
	e.usage = api.Usage{
		PromptTokenCount: all.Total(), CachedContentTokenCount: cached.Total(), TotalTokenCount: all.Total(),
		PromptTokensDetails: all.Details(), CacheTokensDetails: cached.Details(),
		CandidatesTokensDetails: []api.ModalityCount{}, ToolUsePromptTokensDetails: []api.ModalityCount{},
	}
	return nil
}

// judgePrompt looks at everything that the model is to read.
func (e *session) judgePrompt() {
	written := []string{e.prompt.System}
	for _, c := range e.prompt.Contents {
		for i := range c.Parts {
			written = append(written, writtenText(&c.Parts[i]))
		}
	}
	if ratings, blocked := e.filter.judge(strings.Join(written, "\n")); blocked {
		e.feedback = &api.PromptFeedback{BlockReason: "SAFETY", SafetyRatings: ratings}
	}
}

// writtenText is the text of a part, also of one that holds it as data.
func writtenText(p *api.Part) string {
	switch {
	case p.Text != nil:
		return *p.Text
	case p.FunctionCall != nil:
		return string(p.FunctionCall.Args)
	case p.FunctionResponse != nil:
		return string(p.FunctionResponse.Response)
	case p.ExecutableCode != nil:
		return p.ExecutableCode.Code
	case p.CodeExecutionResult != nil:
		return p.CodeExecutionResult.Output
	case p.InlineData != nil && tokens.Modality(p.InlineData.MimeType) == "TEXT":
		if data, err := api.DecodeBase64(p.InlineData.Data); err == nil { // checked before
			return string(data)
		}
	}
	return ""
}

// errBlocked ends a candidate that the filter has stopped.
var errBlocked = errors.New("generate: the candidate is blocked")

// run asks the backend for each candidate and hands over the chunks.
func (e *session) run(ctx context.Context, send func(api.Response) error) error {
	if e.feedback != nil {
		return send(e.chunk(nil))
	}
	backend := e.service.backend(e.prompt.Model)
	for index := range e.prompt.Candidates() {
		c := candidate{session: e, index: index, send: send}
		take := func(p api.Piece) error {
			p, changed := changePiece(wirefault.Marked(ctx), p)
			err := c.take(ctx, p)
			if changed && err == nil {
				err = errBlocked
			}
			return err
		}
		if err := backend.Generate(ctx, e.prompt, index, take); err != nil && !errors.Is(err, errBlocked) {
			return err
		}
		if e.feedback != nil {
			return nil
		}
	}
	return nil
}

// chunk is a response with one candidate, or with none.
func (e *session) chunk(c *api.Candidate) api.Response {
	r := api.Response{
		PromptFeedback: e.feedback, UsageMetadata: e.usage, ModelVersion: e.version, ResponseID: e.id,
		ModelStatus: api.ModelStatus{ModelStage: "STABLE"},
	}
	if e.prompt != nil && len(e.prompt.Notes) > 0 {
		r.Notes = make([]string, len(e.prompt.Notes))
		for i, note := range e.prompt.Notes {
			r.Notes[i] = e.request.Spelling.Note(note)
		}
		r.ModelStatus.Message = strings.Join(r.Notes, "; ")
	}
	if c != nil {
		r.Candidates = []api.Candidate{*c}
	}
	return r
}

// stored reports whether this request is logged, as it says itself, else as the
// configuration does.
func (e *session) stored() bool {
	if e.request.Store != nil {
		return *e.request.Store
	}
	return e.service.config.Store
}

// finish charges the tokens of the answer and stores it when asked to. What was
// said was used, also when the caller left or the backend failed in the middle.
func (e *session) finish(ctx context.Context, whole *api.Response, failed error) error {
	s := e.service
	ctx = context.WithoutCancel(ctx)
	if err := s.spend(ctx, e.caller, e.prompt.Model, e.usage); err != nil || failed != nil {
		return errors.Join(failed, err)
	}
	if !e.stored() {
		return nil
	}
	request, err := json.Marshal(e.request)
	if err != nil {
		return fmt.Errorf("store the request: %w", err)
	}
	response, err := json.Marshal(whole)
	if err != nil {
		return fmt.Errorf("store the answer: %w", err)
	}
	now := s.now()
	entry := requestlog.Entry{
		UserID: e.caller.UserID, KeyID: e.caller.TokenID, Model: e.prompt.Model.ID,
		Request: request, Response: response,
		Asked: title(e.prompt.LastText()), Said: title(whole.FirstText()),
		CreatedAt: now, ExpiresAt: now.Add(s.config.StoreRetention),
	}
	return requestlog.Keep(ctx, s.world.DB, entry, s.config.MaxStorageBytes)
}

// title is the start of a text for lists.
func title(s string) string {
	s = strings.TrimSpace(s)
	switch start := api.FirstChars(s, 120); {
	case s == "":
		return "no text"
	case len(start) < len(s):
		return start + "…"
	}
	return s
}
