package address

import (
	"bytes"
	"context"
	"strings"
)

// linkAttributes are those of HTML pages, and those that their scripts read, whose
// values are paths of the world.
func linkAttributes() []string {
	return []string{"href", "src", "action", "formaction", "data-from", "data-events", "data-path"}
}

// Page puts the world's path before every link of an HTML page that is a path.
// Templates write paths as the route table has them. Whatever they escape holds no
// quotation mark, so that text which looks like an attribute is left alone.
func Page(ctx context.Context, html []byte) []byte {
	path := Path(ctx)
	if path == "" {
		return html
	}
	var changes []string
	for _, name := range linkAttributes() {
		// A second slash begins a host.
		changes = append(changes, " "+name+`="//`, " "+name+`="//`, " "+name+`="/`, " "+name+`="`+path+"/")
	}
	var out bytes.Buffer
	out.Grow(len(html) + len(html)/8)
	_, _ = strings.NewReplacer(changes...).WriteString(&out, string(html)) // memory takes everything
	return out.Bytes()
}

// To is where a redirect leads: a path of the world, or another site.
func To(ctx context.Context, location string) string {
	if !strings.HasPrefix(location, "/") || strings.HasPrefix(location, "//") {
		return location
	}
	return Path(ctx) + location
}
