package packages

import (
	"net/http"
	"strings"
	"unicode"

	"stoa.dev/stoa/internal/platform/route"
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

func (s *Service) handleGetSimilarlyNamedPackages(w http.ResponseWriter, r *route.Request) error {
	key, err := packageKey(r)
	if err != nil {
		return err
	}

	key, list, err := s.GetSimilarlyNamedPackages(s.asked(r), key)
	if err != nil {
		return err
	}

	return writeShape(w, r, toSimilarJSON(key, list))
}

type (
	similarJSON struct {
		PackageKey catalog.PackageKey `json:"packageKey"`
		Packages   []similarOneJSON   `json:"packages"`
	}
	similarOneJSON struct {
		PackageKey catalog.PackageKey `json:"packageKey"`
	}
)

func toSimilarJSON(k catalog.PackageKey, list []catalog.PackageKey) similarJSON {
	return similarJSON{k, document.Convert(list, func(k catalog.PackageKey) similarOneJSON { return similarOneJSON{k} })}
}
