package generate

import (
	"errors"
	"io"
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/wirefault"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/files"
)

// faultDefinitions are the failures of the service by name.
func (s *Service) faultDefinitions() []module.Fault {
	answers := []string{
		"models.generateContent", streamRoute, chatRoute, chatRoute + versionedSuffix,
		responsesRoute, responsesRoute + versionedSuffix,
	}
	models := append([]string{
		"models.embedContent", "models.batchEmbedContents", "models.countTokens",
		embeddingsRoute, embeddingsRoute + versionedSuffix,
	}, answers...)
	refused := func(name, description string, status int, err error, operations ...string) module.Fault {
		return module.Fault{
			Name: name, Status: status, Description: description, Operations: operations, Handle: module.Refuse(err),
		}
	}
	list := []module.Fault{
		refused("resource_exhausted", "The quota of the model is used up; RetryInfo says how long to wait.",
			http.StatusTooManyRequests, &limit.Exceeded{Decision: limit.Decision{
				Name: "generate_content_requests", Limit: 15, Used: 15, RetryAfter: 30 * time.Second,
			}}, models...),
		refused("model_overloaded", "The model cannot answer now.", http.StatusServiceUnavailable,
			api.ErrUnavailable(nil, "The model is overloaded. Please try again later."), models...),
		refused("model_not_found", "There is no such model for this method.", http.StatusNotFound,
			errNoModel("unknown", methodGenerate), models...),
		refused("provider_down", "The server of the model does not answer.", http.StatusServiceUnavailable,
			api.ErrUnavailable(errors.New("connection refused"), "the model's server does not answer"), models...),
		refused("prompt_too_long", "The input has more tokens than the model takes.", http.StatusBadRequest,
			api.ErrInvalidField("contents", "the input has more than the %d tokens that the model takes", 1_048_576),
			answers...),
		refused("api_key_invalid", "The key is not valid any more.", http.StatusBadRequest,
			&route.CredentialError{Reason: route.Unknown}),
		refused("cache_expired", "The cached content has expired, or belongs to another user.", http.StatusForbidden,
			errNoCache("expired"), append([]string{"cachedContents.get", "cachedContents.patch"}, answers...)...),
		refused("file_not_found", "The file has expired, or belongs to another user.", http.StatusForbidden,
			files.ErrNoFile("expired"), "files.get", "files.delete", "files.download"),
		refused("file_not_active", "The file is still being processed.", http.StatusBadRequest,
			api.ErrPrecondition("the file %s is not in an ACTIVE state and usage is not allowed (it is %s)",
				"example", files.Processing), answers...),
		{
			Name: "upload_chunk_lost", Status: http.StatusServiceUnavailable,
			Operations:  []string{uploadRoute, "media.uploadPut"},
			Description: "The bytes of the chunk are read and lost: the session has what it had, and query says how much.",
			Handle:      loseChunk,
		},
		refused("upload_session_gone", "The upload session has expired; begin again.", http.StatusNotFound,
			files.ErrNoSession("there is no such upload session"), uploadRoute, "media.uploadPut"),
	}
	return append(list, answerFaults(answers)...)
}

// answerFaults are answers that succeed and are not what was hoped for.
func answerFaults(operations []string) []module.Fault {
	changed := func(name, description string) module.Fault {
		return module.Fault{
			Name: name, Status: http.StatusOK, Description: description, Operations: operations,
			Handle: func(w http.ResponseWriter, r *route.Request) error {
				return r.Route.Handle(w, r.InContext(wirefault.Mark(r.Context(), name)))
			},
		}
	}
	return []module.Fault{
		changed(faultSafetyBlock, "The prompt is blocked: promptFeedback has blockReason SAFETY and there is no candidate."),
		changed(faultEmpty, "The candidate ends with STOP and has no parts."),
		changed(faultMaxTokens, "The candidate breaks off and ends with MAX_TOKENS."),
		changed(faultSafety, "The candidate ends with SAFETY and without content."),
		changed(faultOther, "The candidate ends with OTHER."),
		changed(faultMalformed, "The candidate ends with MALFORMED_FUNCTION_CALL and without content."),
	}
}

// loseChunk reads a chunk and forgets it, as a server does that ends before it has
// written it.
func loseChunk(_ http.ResponseWriter, r *route.Request) error {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return err
	}
	return api.ErrUnavailable(nil, "the upload was interrupted; ask how much was received and go on from there")
}
