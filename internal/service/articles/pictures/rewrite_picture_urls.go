package pictures

import (
	"bytes"
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A text that shows a picture is kept with its path alone, because the address of a
// server changes: with its port, with base_url, with a fork and with a restore. Answers
// say the whole address, of the server that answers.

// elsewhere is the address of a picture at a server. It stands in cleaned HTML, where a
// quote is never a part of a text.
var elsewhere = regexp.MustCompile(`="https?://[^"\s]*?` + regexp.QuoteMeta(Path) + `/([0-9a-f]{32})"`)

// idLength is that of the id in such an address.
const idLength = 32

// maxKept is how many pictures of one text are looked for; addresses of further ones
// stay as they were written.
const maxKept = 500

// KeepPaths makes paths of the addresses in rendered HTML that are of pictures here,
// whatever server they name. Those of pictures that only others have stay.
func (p *Pictures) KeepPaths(ctx context.Context, rendered string) (string, error) {
	if !strings.Contains(rendered, Path) {
		return rendered, nil
	}
	named := map[string]bool{}
	for _, found := range elsewhere.FindAllStringSubmatch(rendered, -1) {
		if len(named) < maxKept {
			named[found[1]] = true
		}
	}
	if len(named) == 0 {
		return rendered, nil
	}
	list, err := stored(ctx, p.world.DB, slices.Sorted(maps.Keys(named)))
	if err != nil {
		return "", err
	}
	here := make(map[string]bool, len(list))
	for _, id := range list {
		here[id] = true
	}
	return elsewhere.ReplaceAllStringFunc(rendered, func(found string) string {
		id := found[len(found)-1-idLength : len(found)-1]
		if !here[id] {
			return found
		}
		return `="` + Path + "/" + id + `"`
	}), nil
}

// Absolute puts base before the paths of pictures in rendered HTML.
func Absolute(rendered, base string) string {
	return strings.ReplaceAll(rendered, `="`+Path+"/", `="`+base+Path+"/")
}

// PathsIn are where the paths of pictures begin in the JSON of rendered HTML.
func PathsIn(encoded []byte) []int {
	var out []int
	before := []byte(`=\"`)
	sought := append(before, Path+"/"...)
	for at := 0; ; {
		n := bytes.Index(encoded[at:], sought)
		if n < 0 {
			return out
		}
		at += n + len(before)
		out = append(out, at)
	}
}
