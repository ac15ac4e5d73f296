package generate

import (
	"net/http"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
)

// Names of routes that the envelope treats apart.
const (
	streamRoute = "models.streamGenerateContent"
	uploadRoute = "media.upload"
)

// answerTime bounds a whole answer; streams have no deadline.
const answerTime = 10 * time.Minute

// routes is the operation table. Models charge their own budgets, everything
// else the common one.
func (s *Service) routes() []route.Route {
	big := s.config.MaxRequestBytes
	model := map[string]string{"limit": "model"}
	return []route.Route{
		{Method: "POST", Pattern: "/v1beta/models/{model}:generateContent", Name: "models.generateContent", Access: route.Required, MaxBody: big, Timeout: answerTime, Tags: model, Handle: s.handleGenerate},
		{Method: "POST", Pattern: "/v1beta/models/{model}:streamGenerateContent", Name: streamRoute, Access: route.Required, MaxBody: big, Streams: true, Tags: model, Handle: s.handleStream},
		{Method: "POST", Pattern: "/v1beta/models/{model}:countTokens", Name: "models.countTokens", Access: route.Required, MaxBody: big, Handle: s.handleCountTokens},
		{Method: "POST", Pattern: "/v1beta/models/{model}:embedContent", Name: "models.embedContent", Access: route.Required, Tags: model, Handle: s.handleEmbed},
		{Method: "POST", Pattern: "/v1beta/models/{model}:batchEmbedContents", Name: "models.batchEmbedContents", Access: route.Required, MaxBody: 20 << 20, Tags: model, Handle: s.handleBatchEmbed},
		{Method: "GET", Pattern: "/v1beta/models", Name: "models.list", Access: route.Required, Handle: s.handleListModels},
		{Method: "GET", Pattern: "/v1beta/models/{model}", Name: "models.get", Access: route.Required, Handle: s.handleGetModel},

		// A session's secret id is all that the later requests need, so the
		// credential is asked for by the start itself.
		{Method: "POST", Pattern: "/upload/v1beta/files", Name: uploadRoute, Access: route.Optional, MaxBody: -1, Streams: true, Handle: s.handleUpload},
		{Method: "PUT", Pattern: "/upload/v1beta/files", Name: "media.uploadPut", Access: route.Optional, MaxBody: -1, Streams: true, Handle: s.handleUpload},
		{Method: "POST", Pattern: "/v1beta/files", Name: "files.create", Access: route.Required, Handle: s.handleCreateFile},
		{Method: "GET", Pattern: "/v1beta/files", Name: "files.list", Access: route.Required, Handle: s.handleListFiles},
		{Method: "GET", Pattern: "/v1beta/files/{file}", Name: "files.get", Access: route.Required, Handle: s.handleGetFile},
		{Method: "GET", Pattern: "/v1beta/files/{file}:download", Name: "files.download", Access: route.Required, Handle: s.handleDownloadFile},
		{Method: "DELETE", Pattern: "/v1beta/files/{file}", Name: "files.delete", Access: route.Required, Handle: s.handleDeleteFile},

		{Method: "POST", Pattern: "/v1beta/cachedContents", Name: "cachedContents.create", Access: route.Required, MaxBody: big, Handle: s.handleCreateCache},
		{Method: "GET", Pattern: "/v1beta/cachedContents", Name: "cachedContents.list", Access: route.Required, Handle: s.handleListCaches},
		{Method: "GET", Pattern: "/v1beta/cachedContents/{cache}", Name: "cachedContents.get", Access: route.Required, Handle: s.handleGetCache},
		{Method: "PATCH", Pattern: "/v1beta/cachedContents/{cache}", Name: "cachedContents.patch", Access: route.Required, Handle: s.handlePatchCache},
		{Method: "DELETE", Pattern: "/v1beta/cachedContents/{cache}", Name: "cachedContents.delete", Access: route.Required, Handle: s.handleDeleteCache},
	}
}

func (s *Service) muxOptions() route.Options {
	return route.Options{
		Service:    Name,
		WriteError: s.writeError,
		// The contract's way is the query; clients send a header.
		Extract: route.FirstOf(
			route.Header(s.spellings.Accepts(dialect.ModelKey)...),
			route.Query("key"),
		),
		Authenticate: s.identity.Authenticator(Name, identity.KindAPI),
		Gate:         s.gate,
		Clock:        s.world.Clock,
		IDs:          s.world.IDs,
		Memory:       s.world.Memory,
		Requests:     s.world.Requests,
		Telemetry:    s.world.Telemetry,
	}
}

// gate charges what no model charges.
func (s *Service) gate(_ http.ResponseWriter, r *route.Request) (func(), error) {
	if r.Caller == nil || r.Route.Tags["limit"] == "model" {
		return nil, nil
	}
	_, err := s.world.Limits.Take(r.Context(), limit.Window{Name: perCalls, Limit: s.config.CallsPerMinute, Per: time.Minute}, r.Caller.LimitKey(), 1)
	return nil, err
}
