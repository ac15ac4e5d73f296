package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// npmSource reads package documents. One document holds every version, so a
// listing is complete but for attestations and bundled manifests.
type npmSource struct{ origin }

const npmUpstream = "NPM_REGISTRY"

type npmDocument struct {
	Name     string                 `json:"name"`
	Tags     map[string]string      `json:"dist-tags"`
	Versions map[string]npmManifest `json:"versions"`
	Time     map[string]any         `json:"time"`
}

// decodeNPM reads a package document. One broken manifest does not hide the
// others: where one has a wrong shape they are read one by one.
func (s *npmSource) decodeNPM(ctx context.Context, body []byte) (*npmDocument, error) {
	const what = "package document"
	var doc npmDocument
	err := s.decode(ctx, body, what, &doc)
	var shape *json.UnmarshalTypeError
	if !errors.As(err, &shape) {
		return &doc, err
	}
	var loose struct {
		npmDocument
		Versions map[string]json.RawMessage `json:"versions"`
	}
	if err := s.decode(ctx, body, what, &loose); err != nil {
		return nil, err
	}
	doc = loose.npmDocument
	doc.Versions = make(map[string]npmManifest, len(loose.Versions))
	for version, raw := range loose.Versions {
		var m npmManifest
		if json.Unmarshal(raw, &m) != nil {
			m = npmManifest{}
		}
		doc.Versions[version] = m
	}
	return &doc, nil
}

// npmManifest is a package.json as the registry serves it. Authors wrote it,
// so every member may have any shape; the loose ones are read by hand.
type npmManifest struct {
	Name       string          `json:"name"`
	Version    string          `json:"version"`
	License    json.RawMessage `json:"license"`
	Licenses   json.RawMessage `json:"licenses"`
	Repository json.RawMessage `json:"repository"`
	Homepage   json.RawMessage `json:"homepage"`
	Bugs       json.RawMessage `json:"bugs"`
	Deprecated json.RawMessage `json:"deprecated"`
	Deps       json.RawMessage `json:"dependencies"`
	Dev        json.RawMessage `json:"devDependencies"`
	Optional   json.RawMessage `json:"optionalDependencies"`
	Peer       json.RawMessage `json:"peerDependencies"`
	Bundle     json.RawMessage `json:"bundleDependencies"`
	Bundled    json.RawMessage `json:"bundledDependencies"`
	Dist       npmDist         `json:"dist"`
	OS         json.RawMessage `json:"os"`
	CPU        json.RawMessage `json:"cpu"`
	LibC       json.RawMessage `json:"libc"`
	PeerMeta   json.RawMessage `json:"peerDependenciesMeta"`
}

type npmDist struct {
	Tarball      string `json:"tarball"`
	Shasum       string `json:"shasum"`
	Integrity    string `json:"integrity"`
	Attestations *struct {
		URL        string `json:"url"`
		Provenance struct {
			PredicateType string `json:"predicateType"`
		} `json:"provenance"`
	} `json:"attestations"`
}

// npmPath escapes a name for the registry: the slash of a scope is encoded.
func npmPath(name string) string { return url.PathEscape(name) }

func (s *npmSource) Package(ctx context.Context, name string, since Validators) (*Listing, error) {
	res, at, err := s.first(ctx, npmPath(name), registry.Request{
		Accept: "application/json", ETag: since.ETag, LastModified: since.LastModified,
	})
	if err != nil {
		return nil, err
	}
	p, err := s.parse(ctx, res.Body, name, at)
	if err != nil {
		return nil, err
	}
	return listing(p, res)
}

func (s *npmSource) parse(ctx context.Context, body []byte, name string, at registry.Address) (catalog.Package, error) {
	p := catalog.Package{Key: catalog.PackageKey{System: catalog.NPM, Name: name}}
	doc, err := s.decodeNPM(ctx, body)
	if err != nil {
		return p, err
	}
	if err := s.chargeVersions(ctx, len(doc.Versions)); err != nil {
		return p, err
	}
	p.Tag = doc.Tags["latest"]
	for version, m := range doc.Versions {
		if len(version) > catalog.MaxVersion {
			continue
		}
		v := m.version(p.Key.At(catalog.CanonicalVersion(catalog.NPM, version)))
		v.Upstream = []catalog.Upstream{{Name: name, Version: version, Source: npmUpstream}}
		v.Registries = []string{at.URL + "/"}
		v.Links = concat(v.Links, link(catalog.LabelOrigin, at.Join(npmPath(name)+"/"+url.PathEscape(version))))
		if published, ok := doc.Time[version].(string); ok {
			v.Published = timeOf(published)
		}
		p.Versions = append(p.Versions, v)
	}
	return p, nil
}

// version is the manifest as a catalog version. It is complete unless the
// archive or the attestations have more to tell.
func (m *npmManifest) version(key catalog.VersionKey) catalog.Version {
	deps := m.dependencies()
	v := catalog.Version{
		Key:        key,
		Licenses:   catalog.Licenses(npmLicenses(m.License, m.Licenses)...),
		Deprecated: npmDeprecated(m.Deprecated),
		Requires:   &catalog.Requirements{NPM: &catalog.NPMRequirements{Dependencies: deps}, Install: m.install()},
		Complete:   len(deps.BundleDependencies) == 0 && m.Dist.Attestations == nil,
	}
	v.Links = concat(repository(npmRepository(npmText(m.Repository, "url"))),
		link(catalog.LabelIssues, npmText(m.Bugs, "url")), link(catalog.LabelHome, npmText(m.Homepage, "url")))
	if m.Dist.Attestations != nil {
		v.Links = concat(v.Links, link(catalog.LabelAttests, m.Dist.Attestations.URL))
	}
	if m.Dist.Tarball != "" {
		v.Artifacts = []catalog.Artifact{{URL: m.Dist.Tarball, Hashes: concat(hexHash(catalog.SHA1, m.Dist.Shasum), integrity(m.Dist.Integrity))}}
	}
	return v
}

// npmRepository spells out npm's shortest form, "user/repository", which means
// the first of the code hosts.
func npmRepository(text string) string {
	if shortRepository.MatchString(text) {
		return "github:" + text
	}
	return text
}

var shortRepository = regexp.MustCompile(`^[A-Za-z0-9_-]+/[A-Za-z0-9_.-]+$`)

// integrity reads a subresource integrity string: "sha512-BASE64 …".
func integrity(text string) []catalog.Hash {
	var list []catalog.Hash
	for _, part := range strings.Fields(text) {
		algorithm, value, _ := strings.Cut(part, "-")
		value, _, _ = strings.Cut(value, "?")
		switch algorithm {
		case "sha512":
			list = append(list, base64Hash(catalog.SHA512, value)...)
		case "sha256":
			list = append(list, base64Hash(catalog.SHA256, value)...)
		}
	}
	return list
}

// npmText reads a member that is either text or an object with the text
// under a name.
func npmText(raw json.RawMessage, member string) string {
	if len(raw) == 0 {
		return ""
	}
	if raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1]) // nothing in it to decode
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) == nil && json.Unmarshal(object[member], &text) == nil {
		return text
	}
	return ""
}

// npmLicenses reads the two members that name licenses: "license" as text or
// {type}, and the older "licenses" as a list of either.
func npmLicenses(license, licenses json.RawMessage) []string {
	if text := npmText(license, "type"); text != "" {
		return []string{text}
	}
	var list []json.RawMessage
	if json.Unmarshal(licenses, &list) != nil && json.Unmarshal(license, &list) != nil {
		return []string{npmText(licenses, "type")}
	}
	var names []string
	for _, one := range list {
		names = append(names, npmText(one, "type"))
	}
	return names
}

// npmDeprecated reports whether the member is a message or true. An empty
// message takes the deprecation back.
func npmDeprecated(raw json.RawMessage) bool {
	if len(raw) == 0 {
		return false
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text != ""
	}
	var flag bool
	return json.Unmarshal(raw, &flag) == nil && flag
}

func (m *npmManifest) dependencies() catalog.NPMDependencies {
	d := catalog.NPMDependencies{
		Dependencies:         npmRequirements(m.Deps),
		DevDependencies:      npmRequirements(m.Dev),
		OptionalDependencies: npmRequirements(m.Optional),
		PeerDependencies:     npmRequirements(m.Peer),
	}
	d.BundleDependencies = npmBundle(m.Bundle, d.Dependencies)
	if d.BundleDependencies == nil {
		d.BundleDependencies = npmBundle(m.Bundled, d.Dependencies)
	}
	return d
}

// install is the platforms that the package is for and the peers that it can do
// without; nil where it says nothing of them.
func (m *npmManifest) install() *catalog.Install {
	i := &catalog.Install{OS: npmList(m.OS), CPU: npmList(m.CPU), LibC: npmList(m.LibC)}
	var peers map[string]struct {
		Optional bool `json:"optional"`
	}
	if len(m.PeerMeta) > 0 && json.Unmarshal(m.PeerMeta, &peers) == nil {
		for _, name := range slices.Sorted(maps.Keys(peers)) {
			if peers[name].Optional {
				i.OptionalPeers = append(i.OptionalPeers, name)
			}
		}
	}
	if len(i.OS)+len(i.CPU)+len(i.LibC)+len(i.OptionalPeers) == 0 {
		return nil
	}
	return i
}

// npmList reads a member that is a list of texts or one of them.
func npmList(raw json.RawMessage) []string {
	if len(raw) == 0 {
		return nil
	}
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		return list
	}
	if text := npmText(raw, ""); text != "" {
		return []string{text}
	}
	return nil
}

func npmRequirements(raw json.RawMessage) []catalog.Requirement {
	if len(raw) == 0 {
		return nil
	}
	var texts map[string]string
	if json.Unmarshal(raw, &texts) != nil {
		// Some are written as objects.
		var members map[string]json.RawMessage
		if json.Unmarshal(raw, &members) != nil {
			return nil
		}
		texts = make(map[string]string, len(members))
		for name, value := range members {
			texts[name] = npmText(value, "version")
		}
	}
	list := make([]catalog.Requirement, 0, len(texts))
	for name, text := range texts {
		list = append(list, catalog.Requirement{Name: name, Requirement: text})
	}
	slices.SortFunc(list, func(a, b catalog.Requirement) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// npmBundle reads the bundled names: a list of them, or true for all.
func npmBundle(raw json.RawMessage, all []catalog.Requirement) []string {
	if len(raw) == 0 {
		return nil
	}
	var names []string
	if json.Unmarshal(raw, &names) == nil {
		return names
	}
	var every bool
	if json.Unmarshal(raw, &every) != nil || !every {
		return nil
	}
	for _, r := range all {
		names = append(names, r.Name)
	}
	return names
}

func (s *npmSource) Version(ctx context.Context, v catalog.Version) (*catalog.Version, error) {
	if v.Requires != nil && v.Requires.NPM != nil && len(v.Requires.NPM.Dependencies.BundleDependencies) > 0 &&
		len(v.Artifacts) > 0 {
		bundled, err := s.bundled(ctx, &v.Artifacts[0])
		if err != nil {
			return nil, err
		}
		v.Requires.NPM.Bundled = bundled
	}
	for _, l := range v.Links {
		if l.Label != catalog.LabelAttests {
			continue
		}
		attested, err := s.attestations(ctx, l.URL, v.Artifacts)
		if err != nil {
			return nil, err
		}
		v.Attested = attested
	}
	v.Related = catalog.Relate(&v)
	v.Complete = true
	return &v, nil
}
