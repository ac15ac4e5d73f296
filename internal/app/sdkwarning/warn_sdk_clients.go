package sdkwarning

import (
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
)

// sdkAgents are the beginnings of what official SDKs call themselves, in User-Agent
// or in the header that the vendor's generated clients add.
func sdkAgents() []string {
	return []string{
		"google-api-", "google-genai-sdk/", "gl-go/", "gl-node/", "gl-python/", "gl-java/", "gdcl/",
		"go-github/", "octokit", "pygithub/", "datadog-api-client", "circleci", "qiita",
	}
}

// Handler tells the operator, once, that an official SDK has met a server that
// speaks the neutral dialect: such clients run and quietly miss what is spelled
// otherwise.
func Handler(log *slog.Logger, next http.Handler) http.Handler {
	var told atomic.Bool
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !told.Load() {
			if agent := sdkAgent(r.Header); agent != "" && told.CompareAndSwap(false, true) {
				log.Warn("official SDK calls a server that speaks the neutral dialect; it will miss what its vendor spells"+
					" otherwise", "client", agent, "next", "start the server with --dialect sdk")
			}
		}
		next.ServeHTTP(w, r)
	})
}

// sdkAgent is what the client calls itself when that is an official SDK.
func sdkAgent(h http.Header) string {
	for _, name := range []string{"X-Goog-Api-Client", "User-Agent"} {
		agent := h.Get(name)
		for word := range strings.FieldsSeq(strings.ToLower(agent)) {
			for _, known := range sdkAgents() {
				if strings.HasPrefix(word, known) {
					return agent
				}
			}
		}
	}
	return ""
}
