package packages

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
	versionBatchRequest struct {
		Requests []struct {
			VersionKey *versionKeyJSON `json:"versionKey"`
			Original   *versionKeyJSON `json:"version_key"`
		} `json:"requests"`
		pageTokenJSON
	}
	versionKeyJSON struct {
		System  systemJSON `json:"system"`
		Name    string     `json:"name"`
		Version string     `json:"version"`
	}
	purlBatchRequest struct {
		Requests []struct {
			Purl string `json:"purl"`
		} `json:"requests"`
		pageTokenJSON
	}
	projectBatchRequest struct {
		Requests []struct {
			ProjectKey *document.ID `json:"projectKey"`
			Original   *document.ID `json:"project_key"`
		} `json:"requests"`
		pageTokenJSON
	}
	pageTokenJSON struct {
		PageToken string `json:"pageToken"`
		Original  string `json:"page_token"`
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

// token is the page token in either spelling.
func (p *pageTokenJSON) token() string {
	if p.PageToken == "" {
		return p.Original
	}
	return p.PageToken
}

// either is the member of a request that is written in one of its two spellings.
func either[T any](i int, name string, a, b *T) (*T, error) {
	switch {
	case a == nil && b == nil:
		return nil, errInvalid("requests[%d].%s is missing", i, name)
	case a != nil && b != nil:
		return nil, errInvalid("requests[%d].%s is there in both its spellings", i, name)
	case a == nil:
		return b, nil
	}
	return a, nil
}

func (b *versionBatchRequest) keys() ([]catalog.VersionKey, error) {
	keys := make([]catalog.VersionKey, len(b.Requests))
	for i := range b.Requests {
		k, err := either(i, "versionKey", b.Requests[i].VersionKey, b.Requests[i].Original)
		if err != nil {
			return nil, err
		}
		keys[i] = catalog.VersionKey{System: catalog.System(k.System), Name: k.Name, Version: k.Version}
		if keys[i].System.Number() == 0 {
			return nil, errInvalid(
				"requests[%d].versionKey.system %q is not one of GO, RUBYGEMS, NPM, CARGO, MAVEN, PYPI, NUGET", i,
				k.System)
		}
	}
	return keys, nil
}

func (b *purlBatchRequest) purls() []string {
	list := make([]string, len(b.Requests))
	for i := range b.Requests {
		list[i] = b.Requests[i].Purl
	}
	return list
}

func (b *projectBatchRequest) ids() ([]string, error) {
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

// projectBatchJSON is a page of projects.
type (
	projectBatchJSON struct {
		Responses     []projectResponseJSON `json:"responses"`
		NextPageToken string                `json:"nextPageToken"`
	}
	projectResponseJSON struct {
		Request struct {
			ProjectKey document.ID `json:"projectKey"`
		} `json:"request"`
		Project *projectJSON `json:"project,omitempty"`
	}
)

func toProjectBatchJSON(ids []string, b projectBatch) projectBatchJSON {
	out := projectBatchJSON{Responses: make([]projectResponseJSON, len(b.answers)), NextPageToken: b.next}
	for i, p := range b.answers {
		one := &out.Responses[i]
		one.Request.ProjectKey.ID = ids[b.from+i]
		if p != nil {
			shape := toProjectJSON(*p)
			one.Project = &shape
		}
	}
	return out
}
