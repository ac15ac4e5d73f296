package source

import (
	"context"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"strings"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// maxAttestations bounds an attestation document.
const maxAttestations = 8 << 20

// statement is the part of an in-toto statement that says where the build
// came from, in the shapes of provenance v0.2 and v1.
type statement struct {
	PredicateType string `json:"predicateType"`
	Predicate     struct {
		Invocation struct {
			ConfigSource resource `json:"configSource"`
		} `json:"invocation"`
		Materials       []resource `json:"materials"`
		BuildDefinition struct {
			ExternalParameters struct {
				Workflow struct {
					Repository string `json:"repository"`
				} `json:"workflow"`
			} `json:"externalParameters"`
			ResolvedDependencies []resource `json:"resolvedDependencies"`
		} `json:"buildDefinition"`
	} `json:"predicate"`
}

type resource struct {
	URI    string            `json:"uri"`
	Digest map[string]string `json:"digest"`
}

func (r resource) commit() string {
	if c := r.Digest["gitCommit"]; c != "" {
		return c
	}
	return r.Digest["sha1"]
}

// repository strips the ref and the scheme prefix from a build source.
func (r resource) repository() string {
	uri := strings.TrimPrefix(r.URI, "git+")
	uri, _, _ = strings.Cut(uri, "@refs/")
	return uri
}

// source is the repository and commit of a provenance statement.
func (s *statement) source() (repo, commit string) {
	switch s.PredicateType {
	case catalog.ProvenanceV1:
		repo = s.Predicate.BuildDefinition.ExternalParameters.Workflow.Repository
		for _, d := range s.Predicate.BuildDefinition.ResolvedDependencies {
			if repo == "" {
				repo = d.repository()
			}
			if c := d.commit(); c != "" {
				return repo, c
			}
		}
	case catalog.ProvenanceV02:
		from := s.Predicate.Invocation.ConfigSource
		if from.URI == "" && len(s.Predicate.Materials) > 0 {
			from = s.Predicate.Materials[0]
		}
		return from.repository(), from.commit()
	}
	return repo, ""
}

// npmAttestations is the registry's answer to a package's attestation URL.
type npmAttestations struct {
	Attestations []struct {
		PredicateType string          `json:"predicateType"`
		Bundle        json.RawMessage `json:"bundle"`
	} `json:"attestations"`
}

func (s *npmSource) attestations(
	ctx context.Context, link string, artifacts []catalog.Artifact,
) ([]catalog.Attestation, error) {
	res, ok, err := s.optional(ctx, link, maxAttestations)
	if err != nil || !ok {
		return nil, err
	}
	return s.readAttestations(ctx, res.Body, link, artifacts)
}

func (s *npmSource) readAttestations(
	ctx context.Context, body []byte, link string, artifacts []catalog.Artifact,
) ([]catalog.Attestation, error) {
	var doc npmAttestations
	if err := s.decode(ctx, body, "attestation document", &doc); err != nil {
		return nil, err
	}
	var list []catalog.Attestation
	for _, one := range doc.Attestations {
		var bundle struct {
			Envelope struct {
				Payload []byte `json:"payload"`
			} `json:"dsseEnvelope"`
		}
		if json.Unmarshal(one.Bundle, &bundle) != nil {
			continue
		}
		a := catalog.Attestation{Type: one.PredicateType, URL: link}
		var said statement
		if json.Unmarshal(bundle.Envelope.Payload, &said) == nil && said.PredicateType == one.PredicateType {
			a.Repository, a.Commit = said.source()
		}
		a.Verified = s.verified(ctx, one.Bundle, artifacts)
		list = append(list, a)
	}
	return list, nil
}

// verified has the bundle checked against the strongest digest there is.
func (o origin) verified(ctx context.Context, bundle []byte, artifacts []catalog.Artifact) bool {
	if o.verify == nil || len(artifacts) == 0 {
		return false
	}
	var best catalog.Hash
	for _, h := range artifacts[0].Hashes {
		if h.Type.Size() > best.Type.Size() {
			best = h
		}
	}
	return best.Type != "" && o.verify.Verify(ctx, bundle, best)
}

// pypiProvenance is an index's provenance object for one file (PEP 740).
type pypiProvenance struct {
	Bundles []struct {
		Publisher struct {
			Kind       string `json:"kind"`
			Repository string `json:"repository"`
		} `json:"publisher"`
		Attestations []struct {
			Material struct {
				Certificate []byte            `json:"certificate"`
				Entries     []json.RawMessage `json:"transparency_entries"`
			} `json:"verification_material"`
			Envelope struct {
				Statement []byte `json:"statement"`
				Signature []byte `json:"signature"`
			} `json:"envelope"`
		} `json:"attestations"`
	} `json:"attestation_bundles"`
}

func (s *pypiSource) readProvenance(
	ctx context.Context, body []byte, link string, file catalog.Artifact,
) ([]catalog.Attestation, error) {
	var doc pypiProvenance
	if err := s.decode(ctx, body, "provenance object", &doc); err != nil {
		return nil, err
	}
	var list []catalog.Attestation
	for _, b := range doc.Bundles {
		for _, one := range b.Attestations {
			var said statement
			if json.Unmarshal(one.Envelope.Statement, &said) != nil {
				continue
			}
			a := catalog.Attestation{Type: said.PredicateType, URL: link}
			if catalog.Understood(said.PredicateType) {
				a.Repository, a.Commit = certificateSource(one.Material.Certificate)
				if a.Repository == "" {
					a.Repository = publisherRepository(b.Publisher.Kind, b.Publisher.Repository)
				}
			}
			bundle := bundleOf(one.Material.Certificate, one.Material.Entries, one.Envelope.Statement,
				one.Envelope.Signature)
			a.Verified = s.verified(ctx, bundle, []catalog.Artifact{file})
			list = append(list, a)
		}
	}
	return list, nil
}

// publisherRepository is the web address of a trusted publisher's repository.
func publisherRepository(kind, repository string) string {
	host := strings.ToLower(kind)
	for _, candidate := range []string{host + ".com/", host + ".org/"} {
		if found, ok := catalog.RepositoryOf("https://" + candidate + repository); ok {
			return "https://" + found
		}
	}
	return ""
}

// certificateSource reads the source repository and its commit out of the
// signing certificate, where the certificate authority wrote them after
// checking the build's identity token.
func certificateSource(raw []byte) (repo, commit string) {
	certificate, err := x509.ParseCertificate(raw)
	if err != nil {
		return "", ""
	}
	for _, e := range certificate.Extensions {
		var text string
		if _, err := asn1.UnmarshalWithParams(e.Value, &text, "utf8"); err != nil {
			continue
		}
		switch e.Id.String() {
		case "1.3.6.1.4.1.57264.1.12":
			repo = text
		case "1.3.6.1.4.1.57264.1.13":
			commit = text
		}
	}
	return repo, commit
}

// bundleOf writes an index's attestation in the common bundle form.
func bundleOf(certificate []byte, entries []json.RawMessage, payload, signature []byte) []byte {
	b64 := base64.StdEncoding.EncodeToString
	bundle, err := json.Marshal(map[string]any{
		"mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
		"verificationMaterial": map[string]any{
			"certificate": map[string]any{"rawBytes": b64(certificate)},
			"tlogEntries": entries,
		},
		"dsseEnvelope": map[string]any{
			"payload": b64(payload), "payloadType": "application/vnd.in-toto+json",
			"signatures": []any{map[string]any{"sig": b64(signature)}},
		},
	})
	if err != nil {
		return nil
	}
	return bundle
}
