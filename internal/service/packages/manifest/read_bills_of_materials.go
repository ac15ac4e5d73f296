package manifest

import (
	"encoding/json"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// component is a part of a bill of materials with its own parts, as deep as
// the decoder allows.
type component struct {
	Purl       string      `json:"purl"`
	Components []component `json:"components"`
}

func (c *component) each(visit func(purl string)) {
	visit(c.Purl)
	for i := range c.Components {
		c.Components[i].each(visit)
	}
}

func readCycloneDX(text []byte) ([]catalog.VersionKey, error) {
	var bom component
	if err := json.Unmarshal(text, &bom); err != nil {
		return nil, err
	}
	var keys []catalog.VersionKey
	bom.each(func(purl string) {
		if k, ok := fromPurl(purl); ok {
			keys = append(keys, k)
		}
	})
	return keys, nil
}

func readSPDX(text []byte) ([]catalog.VersionKey, error) {
	var doc struct {
		Packages []struct {
			Refs []struct {
				Type    string `json:"referenceType"`
				Locator string `json:"referenceLocator"`
			} `json:"externalRefs"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	var keys []catalog.VersionKey
	for _, p := range doc.Packages {
		for _, r := range p.Refs {
			if k, ok := fromPurl(r.Locator); ok && r.Type == "purl" {
				keys = append(keys, k)
			}
		}
	}
	return keys, nil
}
