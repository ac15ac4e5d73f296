package generate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
)

// session is one request on its way to an answer.
type session struct {
	service *Service
	caller  *identity.Caller
	request *Request
	prompt  *Prompt
	filter  filter
	// feedback is set when the prompt is blocked.
	feedback *PromptFeedback
	usage    Usage
	version  string
	id       string
	// memory is what the session takes beyond its body: the cached content and
	// the files that it names.
	memory *budget.Grant
}

// What a byte of cached content and of a file stands for in memory: the text or
// the bytes, what is decoded or encoded of them, and what is sent on.
const (
	cacheWeight = 4
	mediaWeight = 4
)

// ownerOf is whose budgets a request uses.
func ownerOf(caller *identity.Caller) budget.Owner { return budget.Caller(caller.LimitKey()) }

// end gives back what the session holds.
func (e *session) end() { e.memory.Release() }

// Generate answers a request as a whole.
func (s *Service) Generate(ctx context.Context, caller *identity.Caller, id string, r *Request) (*Response, error) {
	e, err := s.begin(ctx, caller, id, methodGenerate, r)
	if err != nil {
		return nil, err
	}
	defer e.end()
	var whole Response
	err = e.run(ctx, func(chunk Response) error { whole.join(chunk); return nil })
	whole.close()
	return &whole, e.finish(ctx, &whole, err)
}

// Stream answers a request piece by piece. What send gets are chunks of the
// answer that Generate would give.
func (s *Service) Stream(ctx context.Context, caller *identity.Caller, id string, r *Request, send func(Response) error) error {
	e, err := s.begin(ctx, caller, id, methodStream, r)
	if err != nil {
		return err
	}
	defer e.end()
	e.prompt.Streams = true
	var whole Response
	err = e.run(ctx, func(chunk Response) error {
		if e.stored() {
			whole.join(chunk)
		}
		return send(chunk)
	})
	whole.close()
	return e.finish(ctx, &whole, err)
}

// begin checks, unfolds the cache, counts, charges and judges the prompt.
func (s *Service) begin(ctx context.Context, caller *identity.Caller, id, method string, r *Request) (_ *session, err error) {
	m, err := s.Model(id, method)
	if err != nil {
		return nil, err
	}
	if r.Model != "" && modelID(r.Model) != id {
		return nil, errInvalid("model", "%q is not the model of the address, models/%s", r.Model, id)
	}
	e := &session{service: s, caller: caller, request: r, version: m.version(), id: s.world.IDs.Token()[:22]}
	defer func() {
		if err != nil {
			e.end()
		}
	}()
	cached, err := e.unfold(ctx, m, id)
	if err != nil {
		return nil, err
	}
	if e.filter, err = newFilter(s.classifier, r.SafetySettings, Enum(s.config.SafetyThreshold)); err != nil {
		return nil, err
	}
	e.prompt.Owner = ownerOf(caller)
	e.prompt.Run = func(ctx context.Context, code string) *CodeExecutionResult {
		return s.coder.run(ctx, e.prompt.Owner, code)
	}
	e.prompt.Media = func(ctx context.Context, f *FileData) (string, []byte, error) {
		return s.media(ctx, caller.UserID, f, e.memory.Grow)
	}
	place, err := s.counting(ctx, e.prompt.Owner, textBytes(r.Contents...))
	if err != nil {
		return nil, err
	}
	defer place.Release()
	fresh, err := s.scale(m, m.InputTokenLimit, caller.UserID, e.prompt.Config.MediaResolution).contents(ctx, r.Contents, r.SystemInstruction, r.Tools)
	if err != nil {
		return nil, err
	}
	e.setUsage(cached, fresh)
	if e.usage.PromptTokenCount > m.InputTokenLimit {
		return nil, errInvalid("contents", "the input has more than the %d tokens that the model takes", m.InputTokenLimit)
	}
	if err := s.charge(ctx, caller, m, e.usage.PromptTokenCount); err != nil {
		return nil, err
	}
	e.judgePrompt()
	return e, nil
}

// unfold puts the cached content before the request's own.
func (e *session) unfold(ctx context.Context, m ModelConfig, id string) (cached weight, err error) {
	r := e.request
	whole := *r
	if e.memory, err = e.service.world.Memory.Take(ctx, ownerOf(e.caller), 0); err != nil {
		return weight{}, err
	}
	if r.CachedContent != "" {
		if r.SystemInstruction != nil || len(r.Tools) > 0 || r.ToolConfig != nil {
			return weight{}, errInvalid("cachedContent", "a request with cachedContent must not set systemInstruction, tools or toolConfig; they belong into the cached content")
		}
		if len(r.Contents) == 0 {
			return weight{}, errInvalid("contents", "is required and must hold at least one content")
		}
		c, err := e.service.Cache(ctx, e.caller.UserID, r.CachedContent)
		if err != nil {
			return weight{}, err
		}
		if modelID(c.Model) != id {
			return weight{}, errInvalid("cachedContent", "was made for %s and serves that model only", c.Model)
		}
		if err := e.memory.Grow(cacheWeight * c.Size); err != nil {
			return weight{}, err
		}
		prefix, err := e.service.store.cachePrefix(ctx, e.service.world.DB, c.ID)
		if err != nil {
			return weight{}, err
		}
		whole.Contents = append(prefix.Contents, r.Contents...)
		whole.SystemInstruction, whole.Tools, whole.ToolConfig = prefix.SystemInstruction, prefix.Tools, prefix.ToolConfig
		cached = weightOf(c.Tokens)
	}
	e.prompt, err = newPrompt(m, &whole)
	r.ServiceTier = whole.ServiceTier
	return cached, err
}

func (e *session) setUsage(cached, fresh weight) {
	all := cached
	all.add(fresh)
	e.usage = Usage{
		PromptTokenCount: all.total(), CachedContentTokenCount: cached.total(), TotalTokenCount: all.total(),
		PromptTokensDetails: all.details(), CacheTokensDetails: cached.details(),
		CandidatesTokensDetails: []ModalityCount{}, ToolUsePromptTokensDetails: []ModalityCount{},
	}
}

// judgePrompt looks at everything the user wrote.
func (e *session) judgePrompt() {
	written := []string{e.prompt.System}
	for _, c := range e.prompt.Contents {
		if c.Role == RoleUser {
			written = append(written, plainText(c.Parts))
		}
	}
	if ratings, blocked := e.filter.judge(strings.Join(written, "\n")); blocked {
		e.feedback = &PromptFeedback{BlockReason: "SAFETY", SafetyRatings: ratings}
	}
}

// errEnough ends a candidate that the filter has stopped.
var errEnough = errors.New("generate: the candidate is blocked")

// run asks the backend for each candidate and hands over the chunks.
func (e *session) run(ctx context.Context, send func(Response) error) error {
	if e.feedback != nil {
		return send(e.chunk(nil))
	}
	backend := e.service.backend(e.prompt.Model)
	for index := range e.prompt.candidates() {
		c := candidate{session: e, index: index, send: send}
		take := func(p Piece) error { return c.take(ctx, p) }
		if err := backend.Generate(ctx, e.prompt, index, take); err != nil && !errors.Is(err, errEnough) {
			return err
		}
		if e.feedback != nil {
			return nil
		}
	}
	return nil
}

// chunk is a response with one candidate, or with none.
func (e *session) chunk(c *Candidate) Response {
	r := Response{
		PromptFeedback: e.feedback, UsageMetadata: e.usage, ModelVersion: e.version, ResponseID: e.id,
		ModelStatus: ModelStatus{ModelStage: "STABLE"},
	}
	if c != nil {
		r.Candidates = []Candidate{*c}
	}
	return r
}

// stored reports whether this request is logged: its own word, else the
// project's.
func (e *session) stored() bool {
	if e.request.Store != nil {
		return *e.request.Store
	}
	return e.service.config.Store
}

// finish charges the tokens of the answer and stores it when asked to. What was
// said was used, also when the caller left or the backend failed in the middle.
func (e *session) finish(ctx context.Context, whole *Response, failed error) error {
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
	entry := LogEntry{
		UserID: e.caller.UserID, KeyID: e.caller.TokenID, Model: e.prompt.Model.ID, Request: request, Response: response,
		Asked: listed(e.prompt.lastText()), Said: listed(whole.firstText()),
		CreatedAt: now, ExpiresAt: now.Add(s.config.StoreRetention),
	}
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error { return s.store.insertLog(ctx, tx, entry) })
}

// listed is the start of a text for lists.
func listed(s string) string {
	s = strings.TrimSpace(s)
	switch start := firstWords(s, 120); {
	case s == "":
		return "no text"
	case len(start) < len(s):
		return start + "…"
	}
	return s
}

// CountTokens weighs a request without answering it.
func (s *Service) CountTokens(ctx context.Context, caller *identity.Caller, id string, r *Request) (Usage, error) {
	m, err := s.Model(id, methodCount)
	if err != nil {
		return Usage{}, err
	}
	if r.Model != "" && modelID(r.Model) != id {
		return Usage{}, errInvalid("model", "%q is not the model of the address, models/%s", r.Model, id)
	}
	e := &session{service: s, caller: caller, request: r}
	defer e.end()
	cached, err := e.unfold(ctx, m, id)
	if err != nil {
		return Usage{}, err
	}
	place, err := s.counting(ctx, ownerOf(caller), textBytes(r.Contents...))
	if err != nil {
		return Usage{}, err
	}
	defer place.Release()
	fresh, err := s.scale(m, math.MaxInt, caller.UserID, e.prompt.Config.MediaResolution).contents(ctx, r.Contents, r.SystemInstruction, r.Tools)
	if err != nil {
		return Usage{}, err
	}
	e.setUsage(cached, fresh)
	return e.usage, nil
}
