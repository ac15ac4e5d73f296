package packages

import (
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
)

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
