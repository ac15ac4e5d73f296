package generate

import (
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/tokens"
)

// turnFrame is what a chat template puts around a turn, generously.
const turnFrame = 12

// inputLimit is how many tokens of input leave a model something to answer with.
func inputLimit(p *api.Prompt) int {
	return p.Model.InputTokenLimit - min(p.MaxTokens(), p.Model.InputTokenLimit/4)
}

// shortener brings a prompt down to what a smaller model reads than the one that
// was asked for.
type shortener struct {
	prompt  *api.Prompt
	counter tokens.RequestCounter
	left    int
}

// shorten leaves out of the prompt what the model has no place for, and notes it:
// functions take half of the place at most, the system instruction half of what is
// left, and the newest turns the rest.
func (e *session) shorten(ctx context.Context) error {
	p := e.prompt
	s := &shortener{prompt: p, left: inputLimit(p)}
	s.counter = e.service.requestCounter(p.Model, s.left, e.caller.UserID, p.Config.MediaResolution)
	before := e.usage.PromptTokenCount
	for _, step := range []func(context.Context) error{s.functions, s.system, s.turns} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	e.usage.PromptTokenCount = inputLimit(p) - s.left
	e.usage.CachedContentTokenCount = min(e.usage.CachedContentTokenCount, e.usage.PromptTokenCount)
	e.usage.TotalTokenCount = e.usage.PromptTokenCount
	e.usage.PromptTokensDetails = tokens.OfText(e.usage.PromptTokenCount).Details()
	return p.Lack("contents", "%d tokens or more were shortened to the %d that %s reads beside its answer",
		before, inputLimit(p), p.Model.ID)
}

// functions keeps names, short descriptions and bare schemas, and as many
// functions as half of the place takes.
func (s *shortener) functions(ctx context.Context) error {
	limit, used := s.left/2, 0
	var kept []api.Function
	for _, f := range s.prompt.Functions {
		f.Description = api.FirstChars(f.Description, 120)
		f.Parameters, _ = bareSchema(f.Parameters).(map[string]any)
		text, err := json.Marshal(f)
		if err != nil {
			return err
		}
		n, err := s.counter.Text.Count(ctx, string(text), limit)
		if err != nil {
			return err
		}
		if used+n > limit {
			if err := s.prompt.Lack("tools", "%s has no place for the function %s", s.prompt.Model.ID, f.Name); err != nil {
				return err
			}
			continue
		}
		kept, used = append(kept, f), used+n
	}
	s.prompt.Functions, s.left = kept, s.left-used
	if len(kept) == 0 && s.prompt.Mode == "ANY" {
		s.prompt.Mode = "AUTO"
	}
	return nil
}

// bareSchema is a schema without its descriptions.
func bareSchema(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, inner := range v {
			if _, isText := inner.(string); isText && (name == "description" || name == "title") {
				continue
			}
			out[name] = bareSchema(inner)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = bareSchema(v[i])
		}
		return out
	}
	return v
}

func (s *shortener) system(ctx context.Context) (err error) {
	used := 0
	s.prompt.System, used, err = s.clip(ctx, s.prompt.System, s.left/2)
	s.left -= used
	return err
}

// turns keeps the newest turns; the first that does not fit is clipped, and what is
// older is left out.
func (s *shortener) turns(ctx context.Context) error {
	contents := s.prompt.Contents
	for i := len(contents) - 1; i >= 0; i-- {
		left := s.left - turnFrame
		n, err := s.counter.Contents(ctx, contents[i:i+1], nil, nil)
		if err != nil {
			return err
		}
		if n.Total() <= left {
			s.left -= n.Total() + turnFrame
			continue
		}
		s.prompt.Contents = contents[i+1:]
		if i == len(contents)-1 || left > 8*turnFrame {
			turn, used, err := s.clipTurn(ctx, contents[i], max(left, turnFrame))
			if err != nil {
				return err
			}
			s.left -= used
			s.prompt.Contents = append([]api.Content{turn}, contents[i+1:]...)
		}
		return nil
	}
	return nil
}

// clipTurn is the text of a turn, shortened, as one part. Media that a text-only
// model cannot read are named by their backend, so they stay.
func (s *shortener) clipTurn(ctx context.Context, c api.Content, limit int) (api.Content, int, error) {
	var texts []string
	out := api.Content{Role: c.Role}
	for i := range c.Parts {
		if text := writtenText(&c.Parts[i]); text != "" {
			texts = append(texts, text)
		} else {
			out.Parts = append(out.Parts, c.Parts[i])
		}
	}
	text, used, err := s.clip(ctx, strings.Join(texts, "\n"), limit)
	out.Parts = append(out.Parts, api.Text(text))
	return out, used, err
}

// clip shortens a text to a number of tokens: its start and its end stay.
func (s *shortener) clip(ctx context.Context, text string, limit int) (string, int, error) {
	const gap = "\n[…]\n"
	n, err := s.counter.Text.Count(ctx, text, limit)
	if err != nil || n <= limit {
		return text, n, err
	}
	for size := min(len(text), 4*limit); size > 8; size = size * 3 / 4 {
		short := validCut(text[:size/2]) + gap + validCut(text[len(text)-size/2:])
		if n, err = s.counter.Text.Count(ctx, short, limit); err != nil || n <= limit {
			return short, n, err
		}
	}
	return "", 0, nil
}

// validCut drops the halves of characters at the ends of a text.
func validCut(s string) string {
	for s != "" && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return strings.ToValidUTF8(s, "")
}

// fits reports whether a prompt leaves the model something to answer with.
func (e *session) fits() bool { return e.usage.PromptTokenCount <= inputLimit(e.prompt) }
