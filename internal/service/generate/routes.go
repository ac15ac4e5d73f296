package generate

import (
	"net/http"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/apifamily"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/service/generate/batches"
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
	big, charged := s.config.MaxRequestBytes, map[string]string{"limit": "model"}
	required := func(method, pattern, name string, maxBody int64, handle route.Handler) route.Route {
		return route.Route{
			Method: method, Pattern: pattern, Name: name, Access: route.Required, MaxBody: maxBody, Handle: handle,
		}
	}
	const model, files, caches = "/v1beta/models/{model}", "/v1beta/files", "/v1beta/cachedContents"
	generate := required("POST", model+":generateContent", "models.generateContent", big, s.handleGenerate)
	generate.Timeout, generate.Tags = answerTime, charged
	stream := required("POST", model+":streamGenerateContent", streamRoute, big, s.handleStream)
	stream.Streams, stream.Tags = true, charged
	embed := required("POST", model+":embedContent", "models.embedContent", 0, s.handleEmbed)
	embed.Tags = charged
	batch := required("POST", model+":batchEmbedContents", "models.batchEmbedContents", 20<<20, s.handleBatchEmbed)
	batch.Tags = charged
	// A session's secret id is all that the later requests need, so the
	// credential is asked for by the start itself.
	upload := route.Route{
		Method: "POST", Pattern: "/upload/v1beta/files", Name: uploadRoute,
		Access: route.Optional, MaxBody: -1, Streams: true, Handle: s.handleUpload,
	}
	put := upload
	put.Method, put.Name = "PUT", "media.uploadPut"
	download := required("GET", files+"/{file}:download", "files.download", 0, s.handleDownloadFile)
	download.Streams = true
	return apifamily.Routes(append(s.batches.Routes(), []route.Route{
		generate, stream,
		required("POST", model+":countTokens", "models.countTokens", big, s.handleCountTokens),
		embed, batch,
		required("POST", model+":batchGenerateContent", "models.batchGenerateContent", batches.MaxInline,
			s.handleBatchGenerate),
		required("POST", model+":asyncBatchEmbedContent", "models.asyncBatchEmbedContent", batches.MaxInline,
			s.handleAsyncEmbed),
		required("GET", "/v1beta/batches", "batches.list", 0, s.handleListBatches),
		required("GET", "/v1beta/models", "models.list", 0, s.handleListModels),
		required("GET", model, "models.get", 0, s.handleGetModel),

		upload, put,
		required("POST", files, "files.create", 0, s.handleCreateFile),
		required("GET", files, "files.list", 0, s.handleListFiles),
		required("GET", files+"/{file}", "files.get", 0, s.handleGetFile),
		download,
		required("DELETE", files+"/{file}", "files.delete", 0, s.handleDeleteFile),

		required("POST", caches, "cachedContents.create", big, s.handleCreateCache),
		required("GET", caches, "cachedContents.list", 0, s.handleListCaches),
		required("GET", caches+"/{cache}", "cachedContents.get", 0, s.handleGetCache),
		required("PATCH", caches+"/{cache}", "cachedContents.patch", 0, s.handlePatchCache),
		required("DELETE", caches+"/{cache}", "cachedContents.delete", 0, s.handleDeleteCache),
	}...), answers())
}

func (s *Service) muxOptions() route.Options {
	return s.world.RouteOptions(route.Options{
		Service:    Name,
		WriteError: s.writeError,
		// The contract's way is the query; clients send a header.
		Extract: credential.FirstOf(
			credential.Header(s.spellings.Accepts(dialect.ModelKey)...),
			credential.Query("key"),
		),
		Authenticate: s.identity.Authenticator(Name, identity.KindAPI),
		Gate:         s.gate,
		Before:       apifamily.OverrideMethod,
	})
}

// gate charges what no model charges.
func (s *Service) gate(_ http.ResponseWriter, r *route.Request) (func(), error) {
	if r.Caller == nil || r.Route.Tags["limit"] == "model" {
		return nil, nil
	}
	window := limit.Window{Name: perCalls, Limit: s.config.CallsPerMinute, Per: time.Minute}
	_, err := s.world.Limits.Take(r.Context(), window, r.Caller.LimitKey(), 1)
	return nil, err
}
