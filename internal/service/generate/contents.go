package generate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"stoa.dev/stoa/internal/identity"
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
}

// Generate answers a request as a whole.
func (s *Service) Generate(ctx context.Context, caller *identity.Caller, id string, r *Request) (*Response, error) {
	e, err := s.begin(ctx, caller, id, methodGenerate, r)
	if err != nil {
		return nil, err
	}
	var whole Response
	if err := e.run(ctx, func(chunk Response) error { whole.join(chunk); return nil }); err != nil {
		return nil, err
	}
	return &whole, e.finish(ctx, &whole)
}

// Stream answers a request piece by piece. What send gets are chunks of the
// answer that Generate would give.
func (s *Service) Stream(ctx context.Context, caller *identity.Caller, id string, r *Request, send func(Response) error) error {
	e, err := s.begin(ctx, caller, id, methodStream, r)
	if err != nil {
		return err
	}
	e.prompt.Streams = true
	var whole Response
	err = e.run(ctx, func(chunk Response) error {
		if e.stored() {
			whole.join(chunk)
		}
		return send(chunk)
	})
	if err != nil {
		return err
	}
	return e.finish(ctx, &whole)
}

// begin checks, unfolds the cache, counts, charges and judges the prompt.
func (s *Service) begin(ctx context.Context, caller *identity.Caller, id, method string, r *Request) (*session, error) {
	m, err := s.Model(id, method)
	if err != nil {
		return nil, err
	}
	if r.Model != "" && modelID(r.Model) != id {
		return nil, errInvalid("model", "%q is not the model of the address, models/%s", r.Model, id)
	}
	e := &session{service: s, caller: caller, request: r, version: m.version(), id: s.world.IDs.Token()[:22]}
	cached, err := e.unfold(ctx, m, id)
	if err != nil {
		return nil, err
	}
	if e.filter, err = newFilter(s.classifier, r.SafetySettings, Enum(s.config.SafetyThreshold)); err != nil {
		return nil, err
	}
	e.prompt.Run = s.coder.run
	e.prompt.Media = func(ctx context.Context, f *FileData) (string, []byte, error) { return s.media(ctx, caller.UserID, f) }
	fresh, err := s.scale(ctx, m, caller.UserID, e.prompt.Config.MediaResolution).contents(r.Contents, r.SystemInstruction, r.Tools)
	if err != nil {
		return nil, err
	}
	e.setUsage(cached, fresh)
	if e.usage.PromptTokenCount > m.InputTokenLimit {
		return nil, errInvalid("contents", "the input has %d tokens, the model takes %d", e.usage.PromptTokenCount, m.InputTokenLimit)
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
		whole.Contents = append(append([]Content{}, c.Prefix.Contents...), r.Contents...)
		whole.SystemInstruction, whole.Tools, whole.ToolConfig = c.Prefix.SystemInstruction, c.Prefix.Tools, c.Prefix.ToolConfig
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
	written := e.prompt.System
	for _, c := range e.prompt.Contents {
		if c.Role != RoleUser {
			continue
		}
		if written != "" {
			written += "\n"
		}
		written += plainText(c.Parts)
	}
	if ratings, blocked := e.filter.judge(written); blocked {
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
		if err := backend.Generate(ctx, e.prompt, index, c.take); err != nil && !errors.Is(err, errEnough) {
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

// candidate follows one answer as it grows.
type candidate struct {
	session *session
	index   int
	send    func(Response) error
	tail    string
	ratings []SafetyRating
	logSum  float64
	logs    int
	// answered and thought are the tokens counted so far.
	answered, thought int
}

// overlap is how much of the text before is judged again with each piece, so
// that what is split between pieces is still seen.
const overlap = 400

// take is called by the backend for every piece.
func (c *candidate) take(p Piece) error {
	e := c.session
	if p.Block != "" {
		e.feedback = &PromptFeedback{BlockReason: p.Block}
		return c.send(e.chunk(nil))
	}
	out := Candidate{Index: c.index, FinishReason: p.Finish, FinishMessage: p.Message}
	if len(p.Parts) > 0 {
		out.Content = &Content{Role: RoleModel, Parts: p.Parts}
	}
	if c.judge(p.Parts) {
		out = Candidate{Index: c.index, FinishReason: FinishSafety, SafetyRatings: c.ratings}
		if err := c.send(e.chunk(&out)); err != nil {
			return err
		}
		return errEnough
	}
	if err := c.count(p, &out); err != nil {
		return err
	}
	c.addLogprobs(p, &out)
	if p.Finish != "" {
		out.SafetyRatings = c.ratings
		if out.Content == nil {
			out.Content = &Content{Role: RoleModel}
		}
	}
	return c.send(e.chunk(&out))
}

// judge rates the new text with the end of the text before it; ratings only
// ever rise.
func (c *candidate) judge(parts []Part) (blocked bool) {
	window := c.tail + plainText(parts)
	ratings, blocked := c.session.filter.judge(window)
	for i := range ratings {
		if i < len(c.ratings) && rank(c.ratings[i].Probability) > rank(ratings[i].Probability) {
			ratings[i] = c.ratings[i]
		}
	}
	c.ratings = ratings
	c.tail = strings.ToValidUTF8(window[max(0, len(window)-overlap):], "")
	return blocked
}

func rank(probability string) int {
	for i, word := range levels() {
		if word == probability {
			return i
		}
	}
	return 0
}

func (c *candidate) addLogprobs(p Piece, out *Candidate) {
	if len(p.Logprobs) == 0 {
		return
	}
	out.LogprobsResult = &LogprobsResult{ChosenCandidates: p.Logprobs, TopCandidates: p.Top}
	for _, l := range p.Logprobs {
		c.logSum += l.LogProbability
		c.logs++
	}
	if p.Finish != "" {
		average := c.logSum / float64(c.logs)
		out.AvgLogprobs = &average
	}
}

// count adds a piece to the usage. A backend's own counts win.
func (c *candidate) count(p Piece, out *Candidate) error {
	e, answer, thoughts := c.session, 0, 0
	u := &e.usage
	for i := range p.Parts {
		if p.Counts != nil {
			break // counted by the backend itself
		}
		w, err := scale{tokens: e.service.tokens}.part(&p.Parts[i])
		if err != nil {
			return fmt.Errorf("count the answer: %w", err)
		}
		switch {
		case p.Parts[i].Thought:
			thoughts += w.total()
		case p.Parts[i].CodeExecutionResult != nil:
			// The model did not write this, it reads it.
			u.ToolUsePromptTokenCount += w.total()
			u.ToolUsePromptTokensDetails = weightOfText(u.ToolUsePromptTokenCount).details()
		default:
			answer += w.total()
		}
	}
	if p.Counts != nil {
		u.PromptTokenCount = max(p.Counts.Prompt, u.CachedContentTokenCount)
		u.PromptTokensDetails = weightOfText(u.PromptTokenCount).details()
		answer, thoughts = p.Counts.Completion-c.answered, p.Counts.Thoughts-c.thought
	}
	c.answered, c.thought = c.answered+answer, c.thought+thoughts
	u.CandidatesTokenCount += answer
	u.ThoughtsTokenCount += thoughts
	out.TokenCount = answer
	u.TotalTokenCount = u.PromptTokenCount + u.CandidatesTokenCount
	u.CandidatesTokensDetails = weightOfText(u.CandidatesTokenCount).details()
	return nil
}

// join adds a chunk to a whole answer.
func (r *Response) join(chunk Response) {
	known := r.Candidates
	*r = Response{
		Candidates: known, PromptFeedback: chunk.PromptFeedback, UsageMetadata: chunk.UsageMetadata,
		ModelVersion: chunk.ModelVersion, ResponseID: chunk.ResponseID, ModelStatus: chunk.ModelStatus,
	}
	if chunk.PromptFeedback != nil {
		r.Candidates = nil // all candidates or none
		return
	}
	for _, c := range chunk.Candidates {
		if c.Index == len(r.Candidates) {
			r.Candidates = append(r.Candidates, c)
			continue
		}
		r.Candidates[c.Index].join(c)
	}
}

func (c *Candidate) join(next Candidate) {
	if next.FinishReason == FinishSafety {
		*c = next
		return
	}
	c.FinishReason, c.FinishMessage = next.FinishReason, next.FinishMessage
	c.SafetyRatings, c.AvgLogprobs = next.SafetyRatings, next.AvgLogprobs
	c.TokenCount += next.TokenCount
	if l := next.LogprobsResult; l != nil && c.LogprobsResult != nil {
		c.LogprobsResult.ChosenCandidates = append(c.LogprobsResult.ChosenCandidates, l.ChosenCandidates...)
		c.LogprobsResult.TopCandidates = append(c.LogprobsResult.TopCandidates, l.TopCandidates...)
	} else if l != nil {
		c.LogprobsResult = l
	}
	if next.Content == nil {
		return
	}
	if c.Content == nil {
		c.Content = &Content{Role: RoleModel}
	}
	for _, part := range next.Content.Parts {
		c.Content.append(part)
	}
}

// append joins text that belongs together.
func (c *Content) append(p Part) {
	if n := len(c.Parts); n > 0 && p.Text != nil && c.Parts[n-1].Text != nil && c.Parts[n-1].Thought == p.Thought {
		joined := *c.Parts[n-1].Text + *p.Text
		c.Parts[n-1].Text = &joined
		return
	}
	c.Parts = append(c.Parts, p)
}

// stored tells whether this request is logged: its own word, else the
// project's.
func (e *session) stored() bool {
	if e.request.Store != nil {
		return *e.request.Store
	}
	return e.service.config.Store
}

// finish charges the tokens of the answer and stores it when asked to.
func (e *session) finish(ctx context.Context, whole *Response) error {
	s := e.service
	if err := s.spend(ctx, e.caller, e.prompt.Model, e.usage); err != nil {
		return err
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
		CreatedAt: now, ExpiresAt: now.Add(s.config.StoreRetention),
	}
	return s.world.DB.Write(ctx, func(tx *database.Tx) error { return s.store.insertLog(ctx, tx, entry) })
}

// CountTokens weighs a request without answering it.
func (s *Service) CountTokens(ctx context.Context, caller *identity.Caller, id string, r *Request) (Usage, error) {
	if _, err := s.Model(id, methodCount); err != nil {
		return Usage{}, err
	}
	if r.Model != "" && modelID(r.Model) != id {
		return Usage{}, errInvalid("model", "%q is not the model of the address, models/%s", r.Model, id)
	}
	m, err := s.Model(id, "")
	if err != nil {
		return Usage{}, err
	}
	e := &session{service: s, caller: caller, request: r}
	cached, err := e.unfold(ctx, m, id)
	if err != nil {
		return Usage{}, err
	}
	fresh, err := s.scale(ctx, m, caller.UserID, e.prompt.Config.MediaResolution).contents(r.Contents, r.SystemInstruction, r.Tools)
	if err != nil {
		return Usage{}, err
	}
	e.setUsage(cached, fresh)
	return e.usage, nil
}
