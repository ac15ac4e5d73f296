package document

import (
	"encoding/base64"
	"time"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// The documents of a version and a package are written byte by byte: an
// import makes millions of them, and reflection took longer over Each than the
// database. The shapes in version_wire.go say the same, and a test holds the
// two together.

// EncodeVersion makes the document of a version.
func EncodeVersion(v *catalog.Version) Version {
	out := appendVersionKey(append(make([]byte, 0, versionSize), `{"versionKey":`...), v.Key)
	out = appendStamp(out, v.Published)
	out = appendBool(append(out, `,"isDefault":`...), v.Default)
	out = appendList(append(out, `,"licenses":`...), v.Licenses, func(out []byte, l catalog.License) []byte {
		return AppendText(out, l.SPDX)
	})
	out = appendList(append(out, `,"advisoryKeys":`...), v.Advisories, appendID)
	out = appendList(append(out, `,"links":`...), v.Links, appendLink)
	slsa, attested := Attestations(v)
	out = appendList(append(out, `,"slsaProvenances":`...), slsa, appendProvenance)
	out = appendList(append(out, `,"attestations":`...), attested, appendAttestation)
	out = appendList(append(out, `,"registries":`...), v.Registries, AppendText)
	out = appendList(append(out, `,"relatedProjects":`...), v.Related, appendRelated)
	cut := len(out)
	out = AppendText(append(out, `,"purl":`...), v.Key.Purl())
	out = appendBool(append(out, `,"isDeprecated":`...), v.Deprecated)
	out = appendList(append(out, `,"licenseDetails":`...), v.Licenses, appendLicense)
	out = appendList(append(out, `,"upstreamIdentifiers":`...), v.Upstream, appendUpstream)
	return Version{All: append(out, '}'), Cut: cut}
}

// versionSize and listedSize are about what a version takes in its own
// document and in its package's.
const (
	versionSize = 1024
	listedSize  = 224
)

// EncodePackage makes the document of a package for one API version.
func EncodePackage(p *catalog.Package, e Edition) []byte {
	out := append(make([]byte, 0, listedSize*(1+len(p.Versions))), `{"packageKey":{"system":`...)
	out = AppendText(append(AppendText(out, string(p.Key.System)), `,"name":`...), p.Key.Name)
	out = append(out, '}')
	if e == V3Alpha {
		out = AppendText(append(out, `,"purl":`...), p.Key.Purl())
	}
	out = append(out, `,"versions":[`...)
	for i := range p.Versions {
		v := &p.Versions[i]
		out = appendVersionKey(append(Separate(out, i), `{"versionKey":`...), v.Key)
		if e == V3Alpha {
			out = AppendText(append(out, `,"purl":`...), v.Key.Purl())
		}
		out = appendBool(append(appendStamp(out, v.Published), `,"isDefault":`...), v.Default)
		if e == V3Alpha {
			out = appendBool(append(out, `,"isDeprecated":`...), v.Deprecated)
		}
		out = append(out, '}')
	}
	return append(out, `]}`...)
}

// EncodeArtifacts is the stored form of a version's files.
func EncodeArtifacts(list []catalog.Artifact) []byte {
	return appendList(nil, list, func(out []byte, a catalog.Artifact) []byte {
		out = AppendText(append(out, `{"url":`...), a.URL)
		if len(a.Hashes) > 0 {
			out = appendList(append(out, `,"hashes":`...), a.Hashes, appendHash)
		}
		return append(out, '}')
	})
}

func appendHash(out []byte, h catalog.Hash) []byte {
	out = AppendText(append(out, `{"type":`...), string(h.Type))
	if h.Digest == nil {
		return append(out, `,"digest":null}`...)
	}
	out = base64.StdEncoding.AppendEncode(append(out, `,"digest":"`...), h.Digest)
	return append(out, `"}`...)
}

func appendList[T any](out []byte, list []T, one func([]byte, T) []byte) []byte {
	out = append(out, '[')
	for i := range list {
		out = one(Separate(out, i), list[i])
	}
	return append(out, ']')
}

func appendVersionKey(out []byte, k catalog.VersionKey) []byte {
	out = AppendText(append(out, `{"system":`...), string(k.System))
	out = AppendText(append(out, `,"name":`...), k.Name)
	return append(AppendText(append(out, `,"version":`...), k.Version), '}')
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
	return append(AppendText(append(out, `{"id":`...), id), '}')
}

func appendLink(out []byte, l catalog.Link) []byte {
	out = AppendText(append(out, `{"label":`...), l.Label)
	return append(AppendText(append(out, `,"url":`...), l.URL), '}')
}

func appendProvenance(out []byte, p Provenance) []byte {
	out = AppendText(append(out, `{"sourceRepository":`...), p.SourceRepository)
	out = AppendText(append(out, `,"commit":`...), p.Commit)
	out = AppendText(append(out, `,"url":`...), p.URL)
	return append(appendBool(append(out, `,"verified":`...), p.Verified), '}')
}

func appendAttestation(out []byte, a Attestation) []byte {
	out = AppendText(append(out, `{"type":`...), a.Type)
	out = AppendText(append(out, `,"url":`...), a.URL)
	out = appendBool(append(out, `,"verified":`...), a.Verified)
	out = AppendText(append(out, `,"sourceRepository":`...), a.SourceRepository)
	return append(AppendText(append(out, `,"commit":`...), a.Commit), '}')
}

func appendRelated(out []byte, r catalog.Relation) []byte {
	out = appendID(append(out, `{"projectKey":`...), r.Project)
	out = AppendText(append(out, `,"relationProvenance":`...), string(r.Provenance))
	return append(AppendText(append(out, `,"relationType":`...), string(r.Type)), '}')
}

func appendLicense(out []byte, l catalog.License) []byte {
	out = AppendText(append(out, `{"license":`...), l.Written)
	return append(AppendText(append(out, `,"spdx":`...), l.SPDX), '}')
}

func appendUpstream(out []byte, u catalog.Upstream) []byte {
	out = AppendText(append(out, `{"packageName":`...), u.Name)
	out = AppendText(append(out, `,"versionString":`...), u.Version)
	return append(AppendText(append(out, `,"source":`...), u.Source), '}')
}
