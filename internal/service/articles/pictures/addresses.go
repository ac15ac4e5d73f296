package pictures

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"

	"stoa.dev/stoa/internal/platform/blob"
)

// A text that shows a picture is kept with its path alone, because the address of a
// server changes: with its port, with base_url, with a fork and with a restore. Answers
// say the whole address, of the server that answers.

// elsewhere is the address of a picture at a server. It stands in cleaned HTML, where a
// quote is never a part of a text.
var elsewhere = regexp.MustCompile(`="https?://[^"\s]*?` + regexp.QuoteMeta(Path) + `/([0-9a-f]{32})"`)

// KeepPaths makes paths of the addresses in rendered HTML that are of pictures here,
// whatever server they name. Those of pictures that only others have stay.
func (p *Pictures) KeepPaths(ctx context.Context, rendered string) (string, error) {
	if !strings.Contains(rendered, Path) {
		return rendered, nil
	}
	here, failed := map[string]bool{}, error(nil)
	out := elsewhere.ReplaceAllStringFunc(rendered, func(found string) string {
		id := elsewhere.FindStringSubmatch(found)[1]
		if _, asked := here[id]; !asked && failed == nil {
			here[id], failed = p.exists(ctx, id)
		}
		if !here[id] {
			return found
		}
		return `="` + Path + "/" + id + `"`
	})
	return out, failed
}

func (p *Pictures) exists(ctx context.Context, id string) (bool, error) {
	_, err := p.world.Blobs.Stat(ctx, blobKey(id))
	if errors.Is(err, blob.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
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
