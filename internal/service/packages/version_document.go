package packages

import (
	"bytes"
	"encoding/json"
	"time"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// document is a version as it is served, encoded once. The stable API version
// has the first cut bytes and a closing brace; the other has them all, since
// its additional members stand last.
type document struct {
	all []byte
	cut int
}

// of is the document of one API version.
func (d document) of(e Edition) []byte {
	if e == V3Alpha {
		return d.all
	}
	b := make([]byte, d.cut+1)
	copy(b, d.all[:d.cut])
	b[d.cut] = '}'
	return b
}

// decodeVersion reads a version back from its document.
func decodeVersion(d document) (*catalog.Version, error) {
	var both struct {
		versionJSON
		versionAlphaJSON
	}
	if err := json.Unmarshal(d.all, &both); err != nil {
		return nil, err
	}
	return fromWire(&both.versionJSON, &both.versionAlphaJSON), nil
}

// marshal is json.Marshal without the escaping meant for HTML pages.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// stamp writes a time as the API does: UTC, with no, three or six digits of a
// fraction. The zero time is left out.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	t = t.UTC().Truncate(time.Microsecond)
	switch ns := t.Nanosecond(); {
	case ns == 0:
		return t.Format("2006-01-02T15:04:05Z")
	case ns%int(time.Millisecond) == 0:
		return t.Format("2006-01-02T15:04:05.000Z")
	}
	return t.Format("2006-01-02T15:04:05.000000Z")
}
