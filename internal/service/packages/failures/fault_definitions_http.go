package failures

import (
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/module"
)

// Code is the canonical word of a refusal.
type Code string

// The codes that the service has.
const (
	InvalidArgument Code = "INVALID_ARGUMENT"
	NotFound        Code = "NOT_FOUND"
	Unavailable     Code = "UNAVAILABLE"
)

// noAnswer begins the message about a registry that does not answer.
const noAnswer = "the package is not in the store and its registry cannot be asked: "

// Catalogue are the refusals by name; refuse makes the service's own error. A
// positive time is when to ask again.
func Catalogue(refuse func(code Code, message string, retryAfter time.Duration) error) []module.Fault {
	failed := func(name, description string, code Code, message string, operations ...string) module.Fault {
		status := map[Code]int{
			InvalidArgument: http.StatusBadRequest, NotFound: http.StatusNotFound, Unavailable: http.StatusServiceUnavailable,
		}[code]
		wait := time.Duration(0)
		if name == "registry_throttled" {
			wait = time.Minute
		}
		return module.Fault{
			Name: name, Status: status, Description: description, Operations: operations,
			Handle: module.Refuse(refuse(code, message, wait)),
		}
	}
	versions := []string{"GetVersion", "GetDependencies", "GetRequirements", "GetDependents"}
	asking := append([]string{"GetPackage", "PurlLookup"}, versions...)
	return []module.Fault{
		failed("registry_down", "The package is not in the store and its registry does not answer.",
			Unavailable, noAnswer+"connection refused", asking...),
		failed("registry_throttled", "The registry asks for fewer calls; Retry-After says how long to wait.",
			Unavailable, noAnswer+"the registry answered with status 429", asking...),
		failed("package_not_found", "The registry has no such package.",
			NotFound, "package not found", "GetPackage", "PurlLookup"),
		failed("version_not_found", "The package has no such version.", NotFound, "version not found", versions...),
		failed("requirements_not_found", "Nothing is known of what the version requires.",
			NotFound, "requirements not found", "GetRequirements"),
		failed("project_not_found", "No project with this key is known.",
			NotFound, "project not found", "GetProject", "GetProjectPackageVersions"),
		failed("advisory_not_found", "No advisory with this key is known.", NotFound, "advisory not found", "GetAdvisory"),
		failed("page_token_invalid", "The page token is not one of this request.", InvalidArgument,
			"pageToken is not one of this request", "GetVersionBatch", "GetProjectBatch", "PurlLookupBatch"),
		failed("batch_too_large", "The batch has more requests than one may have.", InvalidArgument,
			"a batch has at most 5000 requests, not 5001", "GetVersionBatch", "GetProjectBatch", "PurlLookupBatch"),
		failed("query_invalid", "The query names neither a version nor a hash.", InvalidArgument,
			"give a versionKey with system and name, a hash, or both", "Query"),
	}
}
