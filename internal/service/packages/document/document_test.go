package document

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// The shapes of Package, which are only written, never read.
type (
	packageJSON struct {
		PackageKey catalog.PackageKey `json:"packageKey"`
		Versions   []listedJSON       `json:"versions"`
	}
	listedJSON struct {
		VersionKey  catalog.VersionKey `json:"versionKey"`
		PublishedAt string             `json:"publishedAt,omitempty"`
		IsDefault   bool               `json:"isDefault"`
	}
	packageAlphaJSON struct {
		PackageKey catalog.PackageKey `json:"packageKey"`
		Purl       string             `json:"purl"`
		Versions   []listedAlphaJSON  `json:"versions"`
	}
	listedAlphaJSON struct {
		VersionKey   catalog.VersionKey `json:"versionKey"`
		Purl         string             `json:"purl"`
		PublishedAt  string             `json:"publishedAt,omitempty"`
		IsDefault    bool               `json:"isDefault"`
		IsDeprecated bool               `json:"isDeprecated"`
	}
)

func toVersionJSON(v *catalog.Version) versionJSON {
	slsa, attested := Attestations(v)
	return versionJSON{
		VersionKey:      v.Key,
		PublishedAt:     stamp(v.Published),
		IsDefault:       v.Default,
		Licenses:        Convert(v.Licenses, func(l catalog.License) string { return l.SPDX }),
		AdvisoryKeys:    Convert(v.Advisories, func(id string) ID { return ID{id} }),
		Links:           Convert(v.Links, func(l catalog.Link) catalog.Link { return l }),
		SlsaProvenances: slsa,
		Attestations:    attested,
		Registries:      Convert(v.Registries, func(r string) string { return r }),
		RelatedProjects: Convert(v.Related, func(r catalog.Relation) relatedProjectJSON {
			return relatedProjectJSON{ID{r.Project}, r.Provenance, r.Type}
		}),
	}
}

func toVersionAlphaJSON(v *catalog.Version) versionAlphaJSON {
	return versionAlphaJSON{
		Purl:         v.Key.Purl(),
		IsDeprecated: v.Deprecated,
		LicenseDetails: Convert(v.Licenses, func(l catalog.License) licenseDetailJSON {
			return licenseDetailJSON{l.Written, l.SPDX}
		}),
		UpstreamIdentifiers: Convert(v.Upstream, func(u catalog.Upstream) upstreamJSON {
			return upstreamJSON{u.Name, u.Version, u.Source}
		}),
	}
}

// made is a version of any contents, absurd ones included.
func made(t *rapid.T) catalog.Version {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"", "MIT", "https://x.example/?a=<b>&c", "\u2028", "é\"\\\n",
	}))
	some := func() string { return text.Draw(t, "text") }
	key := catalog.VersionKey{
		System: rapid.SampledFrom(catalog.Systems()).Draw(t, "system"), Name: some(), Version: some(),
	}
	v := catalog.Version{
		Key: key, Default: rapid.Bool().Draw(t, "default"), Deprecated: rapid.Bool().Draw(t, "deprecated"),
	}
	if n := rapid.Int64Range(-1, 4e18).Draw(t, "published"); n >= 0 {
		v.Published = time.Unix(0, n).UTC()
	}
	for range rapid.IntRange(0, 2).Draw(t, "length") {
		v.Licenses = append(v.Licenses, catalog.License{Written: some(), SPDX: some()})
		v.Advisories = append(v.Advisories, some())
		v.Links = append(v.Links, catalog.Link{Label: some(), URL: some()})
		v.Attested = append(v.Attested, catalog.Attestation{
			Type: rapid.SampledFrom([]string{catalog.ProvenanceV1, "other"}).Draw(t, "type"), URL: some(),
			Repository: some(), Commit: some(), Verified: v.Default,
		})
		v.Registries = append(v.Registries, some())
		v.Related = append(v.Related, catalog.Relation{
			Project: some(), Provenance: catalog.FromSLSA, Type: catalog.SourceRepo,
		})
		v.Upstream = append(v.Upstream, catalog.Upstream{Name: some(), Version: some(), Source: some()})
		hashes := []catalog.Hash{{Type: catalog.MD5, Digest: []byte(some())}, {Type: catalog.SHA1}}
		v.Artifacts = append(v.Artifacts, catalog.Artifact{URL: some(), Hashes: hashes}, catalog.Artifact{URL: some()})
	}
	return v
}

// TestDocumentsAreWhatReflectionWrites holds the encoders by hand to the
// shapes that the decoder reads.
func TestDocumentsAreWhatReflectionWrites(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := made(t)
		common, more := must(t, toVersionJSON(&v)), must(t, toVersionAlphaJSON(&v))
		got := EncodeVersion(&v)
		if diff := cmp.Diff(common, string(got.Of(V3))); diff != "" {
			t.Errorf("stable document (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(common[:len(common)-1]+","+more[1:], string(got.Of(V3Alpha))); diff != "" {
			t.Errorf("other document (-want +got):\n%s", diff)
		}
		files := must(t, Convert(v.Artifacts, func(a catalog.Artifact) catalog.Artifact { return a }))
		if diff := cmp.Diff(files, string(EncodeArtifacts(v.Artifacts))); diff != "" {
			t.Errorf("artifacts (-want +got):\n%s", diff)
		}

		p := catalog.Package{
			Key: v.Key.Package(), Versions: []catalog.Version{v, made(t)}[:rapid.IntRange(0, 2).Draw(t, "versions")],
		}
		stable := packageJSON{PackageKey: p.Key, Versions: Convert(p.Versions, func(v catalog.Version) listedJSON {
			return listedJSON{VersionKey: v.Key, PublishedAt: stamp(v.Published), IsDefault: v.Default}
		})}
		alpha := packageAlphaJSON{PackageKey: p.Key, Purl: p.Key.Purl()}
		alpha.Versions = Convert(p.Versions, func(v catalog.Version) listedAlphaJSON {
			return listedAlphaJSON{
				VersionKey: v.Key, Purl: v.Key.Purl(), PublishedAt: stamp(v.Published), IsDefault: v.Default,
				IsDeprecated: v.Deprecated,
			}
		})
		if diff := cmp.Diff(must(t, stable), string(EncodePackage(&p, V3))); diff != "" {
			t.Errorf("stable package (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(must(t, alpha), string(EncodePackage(&p, V3Alpha))); diff != "" {
			t.Errorf("other package (-want +got):\n%s", diff)
		}
	})
}

func must(t *rapid.T, v any) string {
	b, err := Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
