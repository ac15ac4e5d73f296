package packages

import (
	"cmp"
	"net/url"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
)

// readSelection reads the parameters of Query.
func readSelection(values url.Values) (Selection, error) {
	hash, err := parseHash(values.Get("hash.type"), values.Get("hash.value"))
	if err != nil {
		return Selection{}, err
	}
	other := func(member string) string { return values.Get("version_key." + member) }
	s := Selection{Name: cmp.Or(values.Get("versionKey.name"), other("name")), Hash: hash}
	s.Version = cmp.Or(values.Get("versionKey.version"), other("version"))
	if given := cmp.Or(values.Get("versionKey.system"), other("system")); given != "" {
		var ok bool
		if s.System, ok = catalog.ParseSystem(given); !ok {
			return Selection{}, errSystem(given)
		}
	}
	return s, nil
}

// encodeResults writes the answer of Query. Without a hash, and in the stable API
// version, there is no word about artifacts.
func encodeResults(results []result, e document.Edition, byHash bool) []byte {
	out := []byte(`{"results":[`)
	for i, r := range results {
		out = append(document.Separate(out, i), `{"version":`...)
		out = append(out, r.doc.Of(e)...)
		if byHash && e == document.V3Alpha {
			out = append(out, `,"artifacts":[`...)
			for j, a := range r.artifacts {
				out = append(document.AppendText(append(document.Separate(out, j), `{"url":`...), a), '}')
			}
			out = append(out, ']')
		}
		out = append(out, '}')
	}
	return append(out, `]}`...)
}

func encodePurlResult(doc []byte, versioned bool) []byte {
	member := `{"package":`
	if versioned {
		member = `{"version":`
	}
	out := make([]byte, 0, len(member)+len(doc)+1)
	return append(append(append(out, member...), doc...), '}')
}

// encodeVersionBatch writes a page: the documents are already encoded, so the
// page is put together from bytes.
func encodeVersionBatch(keys []catalog.VersionKey, b batch) []byte {
	out := beginPage(b)
	for i, doc := range b.answers {
		k := keys[b.from+i]
		out = append(document.Separate(out, i), `{"request":{"versionKey":{"system":"`...)
		out = append(out, k.System...)
		out = document.AppendText(append(out, `","name":`...), k.Name)
		out = document.AppendText(append(out, `,"version":`...), k.Version)
		out = append(out, `}}`...)
		if doc.All != nil {
			out = append(append(out, `,"version":`...), doc.All...)
		}
		out = append(out, '}')
	}
	return endPage(out, b)
}

// encodePurlBatch is the same for package URLs.
func encodePurlBatch(purls []string, b batch) []byte {
	out := beginPage(b)
	for i, doc := range b.answers {
		out = append(document.Separate(out, i), `{"request":{"purl":`...)
		out = append(document.AppendText(out, purls[b.from+i]), '}')
		if doc.All != nil {
			out = append(append(out, `,"result":{"version":`...), doc.All...)
			out = append(out, '}')
		}
		out = append(out, '}')
	}
	return endPage(out, b)
}

// beginPage begins a page, with the capacity for all its documents.
func beginPage(b batch) []byte {
	size := 64
	for _, doc := range b.answers {
		size += len(doc.All) + 192
	}
	return append(make([]byte, 0, size), `{"responses":[`...)
}

func endPage(out []byte, b batch) []byte {
	return append(document.AppendText(append(out, `],"nextPageToken":`...), b.next), '}')
}
