package manual

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// maxSectionText bounds what is searched of one section: long tables are found by
// their headings and first rows.
const maxSectionText = 6000

// found is one section of a page, or one operation, that the search can answer with.
type found struct {
	Page    string `json:"p"`
	Heading string `json:"h,omitempty"`
	Address string `json:"u"`
	Text    string `json:"t,omitempty"`
	// Clients are words of the clients that a service is for.
	Clients []string `json:"c,omitempty"`
}

// searchIndex lists the sections of every page and the operations of every service.
func (m *Manual) searchIndex() ([]byte, error) {
	var index []found
	err := fs.WalkDir(m.files, ".", func(file string, d fs.DirEntry, err error) error {
		name, page := strings.CutSuffix(file, ".md")
		if err != nil || d.IsDir() || !page || path.Base(name) == "template" {
			return err
		}
		source, err := fs.ReadFile(m.files, file)
		if err != nil {
			return err
		}
		index = append(index, sections(name, source)...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, s := range m.modules {
		if !m.has("openapi/" + s.Name + ".json") {
			continue
		}
		r, err := m.reference(s)
		if err != nil {
			return nil, err
		}
		index = append(index, r.operations()...)
	}
	return json.Marshal(index)
}

// sections splits a page at its headings.
func sections(name string, source []byte) []found {
	markdown := goldmark.New(
		goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	)
	tree := markdown.Parser().Parse(text.NewReader(source))
	title := path.Base(name)
	out := []found{{Address: pageAddress(name), Clients: clientWords(source)}}
	for n := tree.FirstChild(); n != nil; n = n.NextSibling() {
		heading, ok := n.(*ast.Heading)
		if !ok {
			last := &out[len(out)-1]
			if len(last.Text) < maxSectionText {
				words := strings.Join(strings.Fields(last.Text+" "+blockText(n, source)), " ")
				last.Text = words[:min(len(words), maxSectionText)]
			}
			continue
		}
		words := string(plain(heading, source))
		if heading.Level == 1 {
			title = words
			continue
		}
		to := pageAddress(name)
		if id, ok := heading.AttributeString("id"); ok {
			to += "#" + string(id.([]byte))
		}
		out = append(out, found{Heading: words, Address: to})
	}
	for i := range out {
		out[i].Page = title
		out[i].Text = strings.ToValidUTF8(out[i].Text, "")
	}
	return out
}

// blockText is all text below a node: words, code, cells.
func blockText(n ast.Node, source []byte) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		if !entering {
			return ast.WalkContinue, nil
		}
		if t, ok := n.(*ast.Text); ok {
			out.Write(t.Segment.Value(source))
			out.WriteByte(' ')
		}
		if n.Type() == ast.TypeBlock && (n.Kind() == ast.KindCodeBlock || n.Kind() == ast.KindFencedCodeBlock) {
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				out.Write(line.Value(source))
			}
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

// operations are the answers that lead to a form of the reference.
func (r reference) operations() []found {
	var out []found
	for _, g := range r.Groups {
		for _, o := range g.Operations {
			out = append(out, found{
				Page: r.Title + ": API reference", Heading: o.ID, Address: "/docs/reference/" + r.Service + "#" + o.ID,
				Text: strings.TrimSpace(o.Method + " " + o.Path + " " + o.Summary),
			})
		}
	}
	return out
}

func (m *Manual) handleSearch(w http.ResponseWriter, r *route.Request) error {
	index, err := m.index()
	if err != nil {
		return err
	}
	etag := wire.ETag(index)
	if wire.NotModified(w, r.Request, etag) {
		return nil
	}
	w.Header().Set("ETag", etag)
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	return wire.WriteBytes(w, r.Request, http.StatusOK, "application/json", index)
}
