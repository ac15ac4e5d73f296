package generate

import (
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/platform/route/hostmux"
)

// The addresses of the API: the contract's version, older and newer ones of the
// same form, and the bases of the other common form.
const (
	versionBase   = "/v1beta"
	uploadBase    = "/upload"
	openAIBase    = versionBase + "/openai"
	openAIRoot    = "/v1"
	versionAlpha  = "/v1alpha"
	modelsSegment = "/models"
)

func apiPrefixes() []string {
	return []string{
		versionBase, uploadBase + versionBase, openAIRoot, uploadBase + openAIRoot, versionAlpha, uploadBase + versionAlpha,
	}
}

// handler serves the API in its two forms and, below their own prefix, the pages,
// each in an envelope of its own.
func (s *Service) handler(routes, openAIRoutes []route.Route) http.Handler {
	native, openai := route.New(s.muxOptions(), routes), route.New(s.openAIOptions(), openAIRoutes)
	mux := hostmux.New(native)
	mux.Prefix(pagesPrefix, route.New(s.pageOptions(), s.pageRoutes()))
	mux.Prefix(openAIBase, openai)
	mux.Prefix(versionAlpha, asVersion(versionAlpha, native))
	mux.Prefix(uploadBase+versionAlpha, asVersion(versionAlpha, native))
	mux.Prefix(openAIRoot, openai)
	first := asVersion(openAIRoot, native)
	mux.Prefix(uploadBase+openAIRoot, first)
	mux.Prefix(openAIRoot+modelsSegment, modelsByForm(first, openai))
	for _, stored := range []string{"/files", "/cachedContents", "/batches"} {
		mux.Prefix(openAIRoot+stored, storedByForm(first, openai))
	}
	return mux
}

// asVersion serves another version as the contract's: they differ in nothing that
// is served here.
func asVersion(version string, native http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		same := r.Clone(r.Context())
		same.URL.Path = strings.Replace(r.URL.Path, version, versionBase, 1)
		same.URL.RawPath = strings.Replace(r.URL.RawPath, version, versionBase, 1)
		native.ServeHTTP(w, same)
	})
}

// asAsked is a message with the version of the address that was asked, which asVersion has
// replaced: the client knows no other.
func asAsked(r *route.Request, message string) string {
	asked, _, _ := strings.Cut(r.RequestURI, "?")
	for _, version := range []string{versionAlpha, openAIRoot} {
		other := strings.Replace(r.URL.EscapedPath(), versionBase, version, 1)
		if other == r.URL.EscapedPath() || !strings.HasSuffix(asked, other) {
			continue
		}
		path := strings.Replace(r.URL.Path, versionBase, version, 1)
		return strings.NewReplacer(r.URL.Path, path, versionWords+versionBase[1:], versionWords+version[1:],
			uploadBase+versionBase, uploadBase+version).Replace(message)
	}
	return message
}

// modelsByForm tells two APIs apart that have one address for their models: the
// other form has no verbs and sends its key as a bearer token.
func modelsByForm(native, openai http.Handler) http.Handler {
	bearer := credential.Bearer()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := bearer(r); ok && r.Method != http.MethodPost {
			openai.ServeHTTP(w, r)
			return
		}
		native.ServeHTTP(w, r)
	})
}

// storedByForm is modelsByForm for what only the contract's form stores: a bearer token
// is answered in the words of the other.
func storedByForm(native, openai http.Handler) http.Handler {
	bearer := credential.Bearer()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := bearer(r); ok {
			openai.ServeHTTP(w, r)
			return
		}
		native.ServeHTTP(w, r)
	})
}
