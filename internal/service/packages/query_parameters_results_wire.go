package packages

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"strings"

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

// parseHash reads the two parameters of a hash: both or none.
func parseHash(kind, value string) (catalog.Hash, error) {
	if kind == "" && value == "" {
		return catalog.Hash{}, nil
	}
	if kind == "" || value == "" {
		return catalog.Hash{}, errInvalid("hash.type and hash.value belong together: give both or none")
	}
	t, ok := parseHashType(kind)
	if !ok {
		return catalog.Hash{}, errInvalid("hash.type %q is not one of MD5, SHA1, SHA256, SHA512", kind)
	}
	digest, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		// Clients that build URLs by hand tend to send the URL alphabet.
		if digest, err = base64.URLEncoding.DecodeString(value); err != nil {
			return catalog.Hash{}, errInvalid("hash.value is not base64")
		}
	}
	if len(digest) > maxDigest {
		return catalog.Hash{}, errInvalid("hash.value is longer than any digest")
	}
	return catalog.Hash{Type: t, Digest: digest}, nil
}

// maxDigest is generous: base64 of a digest's hexadecimal text is well-formed
// and simply matches nothing.
const maxDigest = 256

func parseHashType(s string) (catalog.HashType, bool) {
	for _, t := range catalog.HashTypes() {
		if strings.EqualFold(s, string(t)) {
			return t, true
		}
	}
	return "", false
}
