package batchbody

import (
	"encoding/json"
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
)

// The bodies of the batches. They are read as the protocol's JSON is: a member may
// be written in either of two ways, an enumeration by its name or its number.
type (
	// VersionBatchRequest is the body of GetVersionBatch.
	VersionBatchRequest struct {
		Requests []struct {
			VersionKey *versionKeyJSON `json:"versionKey"`
			Original   *versionKeyJSON `json:"version_key"`
		} `json:"requests"`
		PageToken
	}
	versionKeyJSON struct {
		System  systemJSON `json:"system"`
		Name    string     `json:"name"`
		Version string     `json:"version"`
	}
	// PurlBatchRequest is the body of PurlLookupBatch.
	PurlBatchRequest struct {
		Requests []struct {
			Purl string `json:"purl"`
		} `json:"requests"`
		PageToken
	}
	// ProjectBatchRequest is the body of GetProjectBatch.
	ProjectBatchRequest struct {
		Requests []struct {
			ProjectKey *document.ID `json:"projectKey"`
			Original   *document.ID `json:"project_key"`
		} `json:"requests"`
		PageToken
	}
	// PageToken is the token of the page that is asked for.
	PageToken struct {
		Given    string `json:"pageToken"`
		Original string `json:"page_token"`
	}
	// systemJSON is a system as a body names it, exactly as the enumeration has it.
	systemJSON string
)

// UnmarshalJSON reads a name or a number.
func (s *systemJSON) UnmarshalJSON(raw []byte) error {
	if raw[0] == '"' {
		return json.Unmarshal(raw, (*string)(s))
	}
	var number float64
	if err := json.Unmarshal(raw, &number); err != nil {
		return errors.New("a system is a name or a number")
	}
	*s = systemJSON(fmt.Sprint(number))
	for _, known := range catalog.Systems() {
		if number == float64(known.Number()) {
			*s = systemJSON(known)
		}
	}
	return nil
}

// Token is the page token in either spelling.
func (p *PageToken) Token() string {
	if p.Given == "" {
		return p.Original
	}
	return p.Given
}

// either is the member of a request that is written in one of its two spellings.
func either[T any](i int, name string, a, b *T) (*T, error) {
	switch {
	case a == nil && b == nil:
		return nil, fmt.Errorf("requests[%d].%s is missing", i, name)
	case a != nil && b != nil:
		return nil, fmt.Errorf("requests[%d].%s is there in both its spellings", i, name)
	case a == nil:
		return b, nil
	}
	return a, nil
}

// Keys are the keys that are asked for.
func (b *VersionBatchRequest) Keys() ([]catalog.VersionKey, error) {
	keys := make([]catalog.VersionKey, len(b.Requests))
	for i := range b.Requests {
		k, err := either(i, "versionKey", b.Requests[i].VersionKey, b.Requests[i].Original)
		if err != nil {
			return nil, err
		}
		keys[i] = catalog.VersionKey{System: catalog.System(k.System), Name: k.Name, Version: k.Version}
		if keys[i].System.Number() == 0 {
			return nil, fmt.Errorf(
				"requests[%d].versionKey.system %q is not one of GO, RUBYGEMS, NPM, CARGO, MAVEN, PYPI, NUGET", i,
				k.System)
		}
	}
	return keys, nil
}

// List is the package URLs that are asked for.
func (b *PurlBatchRequest) List() []string {
	list := make([]string, len(b.Requests))
	for i := range b.Requests {
		list[i] = b.Requests[i].Purl
	}
	return list
}

// IDs are the ids that are asked for.
func (b *ProjectBatchRequest) IDs() ([]string, error) {
	list := make([]string, len(b.Requests))
	for i := range b.Requests {
		k, err := either(i, "projectKey", b.Requests[i].ProjectKey, b.Requests[i].Original)
		if err != nil {
			return nil, err
		}
		list[i] = k.ID
	}
	return list, nil
}
