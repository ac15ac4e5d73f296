package packages

import (
	"encoding/base64"
	"time"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// The documents of a version and a package are written byte by byte: an
// import makes millions of them, and reflection took longer over each than the
// database. The shapes in version_wire.go say the same, and a test holds the
// two together.

// encodeVersion makes the document of a version.
func encodeVersion(v *catalog.Version) document {
	out := appendVersionKey(append(make([]byte, 0, versionSize), `{"versionKey":`...), v.Key)
	out = appendStamp(out, v.Published)
	out = appendBool(append(out, `,"isDefault":`...), v.Default)
	out = appendList(append(out, `,"licenses":`...), v.Licenses, func(out []byte, l catalog.License) []byte {
		return appendText(out, l.SPDX)
	})
	out = appendList(append(out, `,"advisoryKeys":`...), v.Advisories, appendID)
	out = appendList(append(out, `,"links":`...), v.Links, appendLink)
	slsa, attested := toAttestations(v)
	out = appendList(append(out, `,"slsaProvenances":`...), slsa, appendProvenance)
	out = appendList(append(out, `,"attestations":`...), attested, appendAttestation)
	out = appendList(append(out, `,"registries":`...), v.Registries, appendText)
	out = appendList(append(out, `,"relatedProjects":`...), v.Related, appendRelated)
	cut := len(out)
	out = appendText(append(out, `,"purl":`...), v.Key.Purl())
	out = appendBool(append(out, `,"isDeprecated":`...), v.Deprecated)
	out = appendList(append(out, `,"licenseDetails":`...), v.Licenses, appendLicense)
	out = appendList(append(out, `,"upstreamIdentifiers":`...), v.Upstream, appendUpstream)
	return document{all: append(out, '}'), cut: cut}
}

// versionSize and listedSize are about what a version takes in its own
// document and in its package's.
const (
	versionSize = 1024
	listedSize  = 224
)

// encodePackage makes the document of a package for one API version.
func encodePackage(p *catalog.Package, e Edition) []byte {
	out := append(make([]byte, 0, listedSize*(1+len(p.Versions))), `{"packageKey":{"system":`...)
	out = appendText(append(appendText(out, string(p.Key.System)), `,"name":`...), p.Key.Name)
	out = append(out, '}')
	if e == V3Alpha {
		out = appendText(append(out, `,"purl":`...), p.Key.Purl())
	}
	out = append(out, `,"versions":[`...)
	for i := range p.Versions {
		v := &p.Versions[i]
		out = appendVersionKey(append(separate(out, i), `{"versionKey":`...), v.Key)
		if e == V3Alpha {
			out = appendText(append(out, `,"purl":`...), v.Key.Purl())
		}
		out = appendBool(append(appendStamp(out, v.Published), `,"isDefault":`...), v.Default)
		if e == V3Alpha {
			out = appendBool(append(out, `,"isDeprecated":`...), v.Deprecated)
		}
		out = append(out, '}')
	}
	return append(out, `]}`...)
}

// encodeArtifacts is the stored form of a version's files.
func encodeArtifacts(list []catalog.Artifact) []byte {
	return appendList(nil, list, func(out []byte, a catalog.Artifact) []byte {
		out = appendText(append(out, `{"url":`...), a.URL)
		if len(a.Hashes) > 0 {
			out = appendList(append(out, `,"hashes":`...), a.Hashes, appendHash)
		}
		return append(out, '}')
	})
}

func appendHash(out []byte, h catalog.Hash) []byte {
	out = appendText(append(out, `{"type":`...), string(h.Type))
	if h.Digest == nil {
		return append(out, `,"digest":null}`...)
	}
	out = base64.StdEncoding.AppendEncode(append(out, `,"digest":"`...), h.Digest)
	return append(out, `"}`...)
}

func appendList[T any](out []byte, list []T, one func([]byte, T) []byte) []byte {
	out = append(out, '[')
	for i := range list {
		out = one(separate(out, i), list[i])
	}
	return append(out, ']')
}

func appendVersionKey(out []byte, k catalog.VersionKey) []byte {
	out = appendText(append(out, `{"system":`...), string(k.System))
	out = appendText(append(out, `,"name":`...), k.Name)
	return append(appendText(append(out, `,"version":`...), k.Version), '}')
}

// appendStamp writes the publish time, if there is one.
func appendStamp(out []byte, t time.Time) []byte {
	if t.IsZero() {
		return out
	}
	return append(append(append(out, `,"publishedAt":"`...), stamp(t)...), '"')
}

func appendBool(out []byte, b bool) []byte {
	if b {
		return append(out, `true`...)
	}
	return append(out, `false`...)
}

func appendID(out []byte, id string) []byte {
	return append(appendText(append(out, `{"id":`...), id), '}')
}

func appendLink(out []byte, l catalog.Link) []byte {
	out = appendText(append(out, `{"label":`...), l.Label)
	return append(appendText(append(out, `,"url":`...), l.URL), '}')
}

func appendProvenance(out []byte, p slsaProvenanceJSON) []byte {
	out = appendText(append(out, `{"sourceRepository":`...), p.SourceRepository)
	out = appendText(append(out, `,"commit":`...), p.Commit)
	out = appendText(append(out, `,"url":`...), p.URL)
	return append(appendBool(append(out, `,"verified":`...), p.Verified), '}')
}

func appendAttestation(out []byte, a attestationJSON) []byte {
	out = appendText(append(out, `{"type":`...), a.Type)
	out = appendText(append(out, `,"url":`...), a.URL)
	out = appendBool(append(out, `,"verified":`...), a.Verified)
	out = appendText(append(out, `,"sourceRepository":`...), a.SourceRepository)
	return append(appendText(append(out, `,"commit":`...), a.Commit), '}')
}

func appendRelated(out []byte, r catalog.Relation) []byte {
	out = appendID(append(out, `{"projectKey":`...), r.Project)
	out = appendText(append(out, `,"relationProvenance":`...), string(r.Provenance))
	return append(appendText(append(out, `,"relationType":`...), string(r.Type)), '}')
}

func appendLicense(out []byte, l catalog.License) []byte {
	out = appendText(append(out, `{"license":`...), l.Written)
	return append(appendText(append(out, `,"spdx":`...), l.SPDX), '}')
}

func appendUpstream(out []byte, u catalog.Upstream) []byte {
	out = appendText(append(out, `{"packageName":`...), u.Name)
	out = appendText(append(out, `,"versionString":`...), u.Version)
	return append(appendText(append(out, `,"source":`...), u.Source), '}')
}
