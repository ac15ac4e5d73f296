package generate

import (
	"fmt"

	"stoa.dev/stoa/internal/service/generate/api"
)

// The service's error type and its codes are api.Error and api.Code, which its
// inner packages share.

func errNotFound(format string, args ...any) *api.Error {
	return &api.Error{Code: api.CodeNotFound, Message: fmt.Sprintf(format, args...)}
}

// versionWords stand before the version in a message; a client that asked for another
// version is told its own.
const versionWords = "API version "

func errNoModel(id, method string) *api.Error {
	return errNotFound("models/%s is not found for "+versionWords+"v1beta, or is not supported for %s. "+
		"Call ListModels to see the available models and their supported methods", id, method)
}

// errNoCache hides whether a cache exists from a caller who does not own it.
func errNoCache(id string) *api.Error {
	return api.ErrForbidden("cached content %s is not found, has expired, or permission is denied", cachePrefix+id)
}
