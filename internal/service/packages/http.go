package packages

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/packages/batchbody"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
)

func (s *Service) handleGetPackage(e document.Edition) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		key, err := packageKey(r)
		if err != nil {
			return err
		}

		doc, err := s.GetPackage(s.asked(r), key, e)
		if err != nil {
			return err
		}
		return write(w, r, doc)
	}
}

func (s *Service) handleGetVersion(e document.Edition) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		key, err := versionKey(r)
		if err != nil {
			return err
		}
		if verb := unknownVerb(r.URL.EscapedPath()); verb != "" {
			return &Error{Code: CodeNotFound, Message: "versions have no operation " + verb}
		}

		doc, err := s.GetVersion(s.asked(r), key)
		if err != nil {
			return err
		}
		return write(w, r, doc.Of(e))
	}
}

func (s *Service) handleGetRequirements(w http.ResponseWriter, r *route.Request) error {
	key, err := versionKey(r)
	if err != nil {
		return err
	}

	doc, err := s.GetRequirements(s.asked(r), key)
	if err != nil {
		return err
	}
	return write(w, r, doc)
}

func (s *Service) handleGetVersionBatch(w http.ResponseWriter, r *route.Request) error {
	var in batchbody.VersionBatchRequest
	if err := wire.ReadJSON(r.Request, &in, wire.AllowGzip(maxBatchBody)); err != nil {
		return err
	}
	keys, err := in.Keys()
	if err != nil {
		return errInvalid("%v", err)
	}

	b, err := s.GetVersionBatch(s.asked(r), keys, in.Token())
	if err != nil {
		return err
	}

	incomplete(w, b)
	return write(w, r, encodeVersionBatch(keys, b))
}

func (s *Service) handlePurlLookupBatch(w http.ResponseWriter, r *route.Request) error {
	var in batchbody.PurlBatchRequest
	if err := wire.ReadJSON(r.Request, &in, wire.AllowGzip(maxBatchBody)); err != nil {
		return err
	}
	purls := in.List()

	b, err := s.PurlLookupBatch(s.asked(r), purls, in.Token())
	if err != nil {
		return err
	}

	incomplete(w, b)
	return write(w, r, encodePurlBatch(purls, b))
}

func (s *Service) handleQuery(e document.Edition) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		values, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			return errInvalid("the query string is not well-formed: %v", err)
		}
		selection, err := readSelection(values)
		if err != nil {
			return err
		}
		results, err := s.Query(s.asked(r), selection)
		if err != nil {
			return err
		}
		// The answer is put together in memory.
		memory, err := s.world.Memory.Take(r.Context(), r.Owner(), resultsWeight(results))
		if err != nil {
			return err
		}
		defer memory.Release()
		return write(w, r, encodeResults(results, e, selection.byHash()))
	}
}

func (s *Service) handlePurlLookup(w http.ResponseWriter, r *route.Request) error {
	doc, versioned, err := s.PurlLookup(s.asked(r), r.PathValue("purl"))
	if err != nil {
		return err
	}
	return write(w, r, encodePurlResult(doc, versioned))
}

// resultsWeight is what the results and the answer made of them take.
func resultsWeight(results []result) (n int64) {
	for i := range results {
		n += 2 * int64(len(results[i].doc.All))
	}
	return n
}

// foreign reports whether a page of another site may have caused a request. Pages of
// this machine are its user's own. Where only this machine can ask us, a host that
// does not name it is a site whose name was made to lead here.
func (s *Service) foreign(r *http.Request) bool {
	if s.config.Discover == DiscoverAuto && route.Loopback(r) && !route.LoopbackHost(r.Host) {
		return true
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return r.Header.Get("Sec-Fetch-Site") == "cross-site"
	}
	u, err := url.Parse(origin)
	return err != nil || u.Host == "" || (u.Host != r.Host && !route.LoopbackHost(u.Host))
}

// asked is the context of a request, with its caller.
func (s *Service) asked(r *route.Request) context.Context {
	return withAsker(r.Context(), asker{network: route.Network(r.Request), foreign: s.foreign(r.Request)})
}

// packageKey reads the key in a path.
func packageKey(r *route.Request) (catalog.PackageKey, error) {
	system, ok := catalog.ParseSystem(r.PathValue("system"))
	if !ok {
		return catalog.PackageKey{}, errSystem(r.PathValue("system"))
	}
	return catalog.PackageKey{System: system, Name: r.PathValue("name")}, nil
}

func versionKey(r *route.Request) (catalog.VersionKey, error) {
	key, err := packageKey(r)
	return key.At(r.PathValue("version")), err
}

// unknownVerb is the operation at the end of a version's path that no route took.
// No ecosystem has a colon in its versions.
func unknownVerb(path string) string {
	at := strings.LastIndexAny(path, ":/")
	if at < 0 || path[at] != ':' || at+1 == len(path) || strings.ContainsFunc(path[at+1:], notLetter) {
		return ""
	}
	return path[at:]
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

func errSystem(given string) error {
	return errInvalid("system %q is not one of GO, RUBYGEMS, NPM, CARGO, MAVEN, PYPI, NUGET", given)
}

// incomplete says in a header why a batch left something out: its body has no
// member for that.
func incomplete(w http.ResponseWriter, b batch) {
	if b.unasked > 0 {
		w.Header().Set("Stoa-Incomplete", fmt.Sprintf("%d versions are not in the store and no registry was asked about them: "+
			"a batch and an address may cause so many fetches (packages.batch_fetches, packages.fetches_per_hour)", b.unasked))
	}
}

// write answers with an encoded document.
func write(w http.ResponseWriter, r *route.Request, doc []byte) error {
	return wire.WriteBytes(w, r.Request, http.StatusOK, "application/json", doc)
}
