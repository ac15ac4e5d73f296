package generate

import (
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
)

// The operations of the other form. Each has two addresses, and a name for each.
const (
	chatRoute       = "openai.chat"
	responsesRoute  = "openai.responses"
	embeddingsRoute = "openai.embeddings"
	versionedSuffix = ".versioned"
)

// openAIRoutes is the operation table of the other common form. Whether an answer
// streams is said in the body, so both routes of text bound themselves.
func (s *Service) openAIRoutes() []route.Route {
	var all []route.Route
	for _, base := range []string{openAIRoot, openAIBase} {
		suffix := ""
		if base == openAIBase {
			suffix = versionedSuffix
		}
		required := func(method, path, name string, maxBody int64, handle route.Handler) route.Route {
			return route.Route{
				Method: method, Pattern: base + path, Name: name + suffix, Access: route.Required, MaxBody: maxBody,
				Handle: handle, Tags: map[string]string{"form": name},
			}
		}
		chat := required("POST", "/chat/completions", chatRoute, s.config.MaxRequestBytes, s.handleChat)
		responses := required("POST", "/responses", responsesRoute, s.config.MaxRequestBytes, s.handleResponses)
		embeddings := required("POST", "/embeddings", embeddingsRoute, 20<<20, s.handleOpenAIEmbeddings)
		chat.Streams, responses.Streams = true, true
		embeddings.Timeout = answerTime
		for _, r := range []*route.Route{&chat, &responses, &embeddings} {
			r.Tags["limit"] = "model"
		}
		all = append(
			all, chat, responses, embeddings,
			required("GET", modelsSegment, "openai.models", 0, s.handleOpenAIModels),
			required("GET", modelsSegment+"/{model}", "openai.model", 0, s.handleOpenAIModel),
		)
	}
	return all
}

func (s *Service) openAIOptions() route.Options {
	o := s.muxOptions()
	o.WriteError = s.writeOpenAIError
	// This form's way is the bearer token; the service's own are taken as well.
	o.Extract = credential.FirstOf(
		credential.Bearer(), credential.Header(s.spellings.Accepts(dialect.ModelKey)...), credential.Query("key"),
	)
	return o
}
