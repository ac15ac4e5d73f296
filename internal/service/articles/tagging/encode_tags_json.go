package tagging

import "stoa.dev/stoa/internal/platform/wire"

// Write writes tags as the contract spells them.
func Write(b *wire.Builder, tags []Tagging) {
	b.Array()
	for _, t := range tags {
		b.Object()
		b.Key("name").Text(t.Name)
		b.Key("versions").Array()
		for _, v := range t.Versions {
			b.Text(v)
		}
		b.End().End()
	}
	b.End()
}
