package document

import (
	"encoding/json"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// Edition is one of the two API versions that are served side by side.
type Edition int

// The editions: the stable one and the earlier-stage one with more fields.
const (
	V3 Edition = iota
	V3Alpha
)

// Prefix is where the paths of an edition begin.
func (e Edition) Prefix() string {
	if e == V3Alpha {
		return "/v3alpha"
	}
	return "/v3"
}

// Version is a version as it is served, encoded once. The stable API version
// has the first Cut bytes and a closing brace; the other has them all, since
// its additional members stand last.
type Version struct {
	All []byte
	Cut int
}

// Of is the document of one API version.
func (d Version) Of(e Edition) []byte {
	if e == V3Alpha {
		return d.All
	}
	b := make([]byte, d.Cut+1)
	copy(b, d.All[:d.Cut])
	b[d.Cut] = '}'
	return b
}

// Decode reads a version back from its document.
func Decode(d Version) (*catalog.Version, error) {
	var both struct {
		versionJSON
		versionAlphaJSON
	}
	if err := json.Unmarshal(d.All, &both); err != nil {
		return nil, err
	}
	return fromWire(&both.versionJSON, &both.versionAlphaJSON), nil
}
