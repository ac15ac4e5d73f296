package api

import (
	"fmt"
	"strings"
)

// Bounds of the generation settings, whatever the model.
const (
	maxCandidates = 8
	maxStops      = 5
	maxLogprobs   = 20
)

// checkConfig checks the generation settings against their ranges and refuses
// what the model cannot do. Nothing is dropped silently.
func (p *Prompt) checkConfig() error {
	for _, check := range []func() error{p.checkNumbers, p.checkTexts, p.checkForm, p.checkMedia, p.checkThinking} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// between refuses a number outside its bounds; nil is absent.
func between[N int | int32 | float64](field string, n *N, low, high N) error {
	if n != nil && !(*n >= low && *n <= high) {
		return ErrInvalidField("generationConfig."+field, "must be %v to %v, not %v", low, high, *n)
	}
	return nil
}

func (p *Prompt) checkNumbers() error {
	c := &p.Config
	if limit := p.Model.OutputTokenLimit; p.Degrades && c.MaxOutputTokens != nil && *c.MaxOutputTokens > limit {
		c.MaxOutputTokens = &limit
		p.Notes = append(p.Notes, fmt.Sprintf("generationConfig.maxOutputTokens: lowered to the %d of %s", limit, p.Model.ID))
	}
	for _, err := range []error{
		between("candidateCount", c.CandidateCount, 1, maxCandidates),
		between("maxOutputTokens", c.MaxOutputTokens, 1, max(1, p.Model.OutputTokenLimit)),
		between("temperature", c.Temperature, 0, 2),
		between("topP", c.TopP, 0, 1),
		between("topK", c.TopK, 1, 1000),
		between("presencePenalty", c.PresencePenalty, -2, 2),
		between("frequencyPenalty", c.FrequencyPenalty, -2, 2),
		between("logprobs", c.Logprobs, 0, maxLogprobs),
	} {
		if err != nil {
			return err
		}
	}
	if c.TopK != nil && *c.TopK != float64(int(*c.TopK)) {
		return ErrInvalidField("generationConfig.topK", "must be a whole number")
	}
	if c.Logprobs != nil && !c.ResponseLogprobs {
		return ErrInvalidField("generationConfig.logprobs", "needs responseLogprobs to be true")
	}
	return nil
}

func (p *Prompt) checkTexts() error {
	stops := p.Config.StopSequences
	if len(stops) > maxStops {
		return ErrInvalidField("generationConfig.stopSequences",
			"has %d entries, at most %d are allowed", len(stops), maxStops)
	}
	for _, stop := range stops {
		if stop == "" {
			return ErrInvalidField("generationConfig.stopSequences", "must not hold an empty text")
		}
	}
	return nil
}

// checkForm settles the media type of the answer and its schema.
func (p *Prompt) checkForm() error {
	c := &p.Config
	if Given(c.ResponseFormat) {
		return ErrInvalidField("generationConfig.responseFormat",
			"is not supported here; use responseMimeType with responseSchema or responseJsonSchema")
	}
	standard := c.ResponseJSONSchema
	if Given(c.OldResponseJSONSchema) {
		if Given(standard) {
			return ErrInvalidField("generationConfig.responseJsonSchema", "is given twice")
		}
		standard = c.OldResponseJSONSchema
	}
	schema, err := schemaOf("generationConfig.responseSchema", c.ResponseSchema, standard)
	if err != nil {
		return err
	}
	p.Schema = schema
	switch c.ResponseMimeType {
	case "", "text/plain":
		if schema != nil {
			return ErrInvalidField("generationConfig.responseMimeType",
				"must be application/json or text/x.enum when there is a schema")
		}
	case "application/json":
	case "text/x.enum":
		if len(p.Enum()) == 0 {
			return ErrInvalidField("generationConfig.responseSchema", "text/x.enum needs a schema with enum")
		}
	default:
		return ErrInvalidField("generationConfig.responseMimeType",
			"%q is not one of text/plain, application/json, text/x.enum", c.ResponseMimeType)
	}
	if schema != nil && len(p.Functions) > 0 && p.Mode == "ANY" {
		return ErrInvalidField("generationConfig.responseSchema", "cannot be combined with function calling mode ANY")
	}
	return nil
}

func (p *Prompt) checkMedia() error {
	c := &p.Config
	for _, modality := range c.ResponseModalities {
		const field = "generationConfig.responseModalities"
		word, err := modalities.Resolve(field, Enum(strings.ToUpper(string(modality))))
		if err != nil {
			return err
		}
		if word == "TEXT" {
			continue
		}
		if err := p.Lack(field, "%s answers in TEXT only, not %s", p.Model.ID, word); err != nil {
			return err
		}
	}
	for _, lack := range []struct {
		asked       bool
		field, what string
	}{
		{Given(c.SpeechConfig), "speechConfig", "does not speak"},
		{Given(c.ImageConfig), "imageConfig", "does not draw"},
		{c.EnableEnhancedCivicAnswers, "enableEnhancedCivicAnswers", "has no such mode"},
	} {
		if !lack.asked {
			continue
		}
		if err := p.Lack("generationConfig."+lack.field, "%s %s", p.Model.ID, lack.what); err != nil {
			return err
		}
	}
	return resolutions.ResolveInto("generationConfig.mediaResolution", &c.MediaResolution)
}

func (p *Prompt) checkThinking() error {
	const field, anyLevel = "generationConfig.thinkingConfig", "THINKING_LEVEL_UNSPECIFIED"
	t := p.Config.ThinkingConfig
	if t == nil {
		return nil
	}
	if err := thinkingLevels.ResolveInto(field+".thinkingLevel", &t.ThinkingLevel); err != nil {
		return err
	}
	if err := between("thinkingConfig.thinkingBudget", t.ThinkingBudget, -1, 65_536); err != nil {
		return err
	}
	if t.ThinkingBudget != nil && t.ThinkingLevel != anyLevel {
		return ErrInvalidField(field, "give either thinkingBudget or thinkingLevel, not both")
	}
	off := t.ThinkingBudget != nil && *t.ThinkingBudget == 0
	asked := t.IncludeThoughts || t.ThinkingBudget != nil && !off || t.ThinkingLevel != anyLevel
	if asked && !p.Model.Thinking {
		p.Config.ThinkingConfig = nil
		return p.Lack(field, "%s does not think", p.Model.ID)
	}
	p.Thoughts = t.IncludeThoughts && !off
	return nil
}

// Candidates is how many answers are asked for.
func (p *Prompt) Candidates() int {
	if p.Config.CandidateCount == nil {
		return 1
	}
	return *p.Config.CandidateCount
}

// MaxTokens bounds the answer.
func (p *Prompt) MaxTokens() int {
	if p.Config.MaxOutputTokens == nil {
		return p.Model.OutputTokenLimit
	}
	return *p.Config.MaxOutputTokens
}
