package packages

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
)

// result is one version that a query found, with the origins of the artifacts
// that matched its hash.
type result struct {
	doc       document.Version
	artifacts []string
}

// Query finds versions by name, by hash, or by both.
func (s *Service) Query(ctx context.Context, q Selection) ([]result, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	place, err := s.lookups.Take(ctx, askerOf(ctx).owner(), 1)
	if err != nil {
		return nil, err
	}
	defer place.Release()
	if q.byHash() {
		return s.queryHash(ctx, q)
	}
	return s.queryName(ctx, q)
}

func (q Selection) check() error {
	if !q.byHash() && q.Name == "" {
		return errInvalid("give a versionKey with system and name, a hash, or both")
	}
	if q.Name != "" && q.System == "" {
		return errInvalid("versionKey.name needs versionKey.system")
	}
	if q.Version != "" && q.Name == "" {
		return errInvalid("versionKey.version needs versionKey.name")
	}
	if q.Name != "" {
		if err := (catalog.PackageKey{System: q.System, Name: q.Name}).Check(); err != nil {
			return errInvalid("versionKey: %v", err)
		}
	}
	if len(q.Version) > catalog.MaxVersion {
		return errInvalid("versionKey.version is longer than %d bytes", catalog.MaxVersion)
	}
	return nil
}

// queryHash finds the versions with an artifact of the hash. A digest of the
// wrong length belongs to no artifact.
func (s *Service) queryHash(ctx context.Context, q Selection) ([]result, error) {
	if len(q.Hash.Digest) != q.Hash.Type.Size() {
		return nil, nil
	}
	if q.Name != "" {
		q.Name = catalog.CanonicalName(q.System, q.Name)
		q.Version = catalog.CanonicalVersion(q.System, q.Version)
	}
	hits, err := versionsByDigest(ctx, s.world.DB, q, maxQueryResults)
	if err != nil {
		return nil, err
	}
	results := make([]result, 0, len(hits))
	for _, h := range hits {
		origins, err := matching(h.artifacts, q.Hash)
		if err != nil {
			return nil, err
		}
		results = append(results, result{doc: h.doc, artifacts: origins})
	}
	return results, nil
}

// matching are the URLs of the artifacts that have the hash.
func matching(raw []byte, want catalog.Hash) ([]string, error) {
	var artifacts []catalog.Artifact
	if err := json.Unmarshal(raw, &artifacts); err != nil {
		return nil, err
	}
	origins := []string{}
	for _, a := range artifacts {
		for _, h := range a.Hashes {
			if h.Type == want.Type && bytes.Equal(h.Digest, want.Digest) {
				origins = append(origins, a.URL)
				break
			}
		}
	}
	return origins, nil
}

// queryName finds the versions of a package, or one of them. A package that
// no package has is an empty result, as a query for it is a fair question.
func (s *Service) queryName(ctx context.Context, q Selection) ([]result, error) {
	key := catalog.PackageKey{System: q.System, Name: q.Name}.Canonical()
	if q.Version != "" {
		doc, err := s.resolveVersion(ctx, key.At(catalog.CanonicalVersion(q.System, q.Version)))
		if isNotFound(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return []result{{doc: doc}}, nil
	}
	if _, err := s.GetPackage(ctx, key, document.V3Alpha); err != nil {
		if isNotFound(err) {
			return nil, nil
		}
		return nil, err
	}
	docs, err := versionDocuments(ctx, s.world.DB, key, maxQueryResults)
	if err != nil {
		return nil, err
	}
	return document.Convert(docs, func(d document.Version) result { return result{doc: d} }), nil
}

// PurlLookup finds the package or the version a package URL names; the
// document says which one it is.
func (s *Service) PurlLookup(ctx context.Context, purl string) (doc []byte, versioned bool, err error) {
	k, err := catalog.ParsePurl(purl)
	if err != nil {
		return nil, false, errInvalid("purl: %v", err)
	}
	if k.System == catalog.Go {
		if k.Name, err = s.goName(ctx, k.Name); err != nil {
			return nil, false, err
		}
	}
	if k.Version == "" {
		doc, err = s.GetPackage(ctx, k.Package(), document.V3Alpha)
		return doc, false, err
	}
	found, err := s.GetVersion(ctx, k)
	return found.All, true, err
}

// goName finds the stored module that a purl means. Purl tools fold Go names
// to lower case although module paths are case-sensitive: the exact spelling
// is tried first, then any stored one that differs in letter case only.
func (s *Service) goName(ctx context.Context, name string) (string, error) {
	key := catalog.PackageKey{System: catalog.Go, Name: name}
	if _, missing, err := s.listed(ctx, key, document.V3Alpha); err != nil || !missing {
		return name, err
	}
	others, err := similarPackages(ctx, s.world.DB, key, maxSimilar)
	if err != nil {
		return "", err
	}
	for _, o := range others {
		if strings.EqualFold(o.Name, name) {
			return o.Name, nil
		}
	}
	return name, nil
}
