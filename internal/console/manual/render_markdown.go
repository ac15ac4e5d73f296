package manual

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"path"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// page is one rendered Markdown file.
type page struct {
	title string
	html  template.HTML
	// parts are the second-level headings, for the list beside the text.
	parts []part
}

type part struct{ ID, Title string }

// page renders a file once. A file that does not exist is fs.ErrNotExist.
func (m *Manual) page(name string) (*page, error) {
	if !fs.ValidPath(name) {
		return nil, fs.ErrNotExist
	}
	if kept, ok := m.pages.Load(name); ok {
		return kept.(func() (*page, error))()
	}
	if !m.has(name + ".md") {
		return nil, fs.ErrNotExist
	}
	once, _ := m.pages.LoadOrStore(name, sync.OnceValues(func() (*page, error) { return render(m.files, name) }))
	return once.(func() (*page, error))()
}

func render(files fs.FS, name string) (*page, error) {
	source, err := fs.ReadFile(files, name+".md")
	if err != nil {
		return nil, err
	}
	// Columns are aligned with classes: the policy forbids styles in the text.
	aligned := extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone))
	markdown := goldmark.New(
		goldmark.WithExtensions(extension.Linkify, aligned, extension.Strikethrough, extension.TaskList),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(blocks{}, 100))),
	)
	tree := markdown.Parser().Parse(text.NewReader(source))
	p := &page{title: path.Base(name)}
	if err := p.walk(files, name, tree, source); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, source, tree); err != nil {
		return nil, fmt.Errorf("render %s: %w", name, err)
	}
	// The text is ours and goldmark leaves raw HTML out.
	p.html = template.HTML(out.String()) //nolint:gosec // see above
	return p, nil
}

// walk collects headings and turns links between files into links between
// pages.
func (p *page) walk(files fs.FS, name string, tree ast.Node, source []byte) error {
	var outward []*ast.Link
	err := ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			p.heading(n, source)
		case *tables.TableCell:
			if n.Alignment == tables.AlignRight || n.Alignment == tables.AlignCenter {
				n.SetAttributeString("class", []byte(n.Alignment.String()))
			}
		case *ast.Link:
			to, ok := target(files, name, string(n.Destination))
			if !ok {
				outward = append(outward, n)
			}
			n.Destination = []byte(to)
		case *ast.Image:
			to, ok := target(files, name, string(n.Destination))
			if !ok {
				return ast.WalkStop, errors.New(name + ": no image " + string(n.Destination))
			}
			n.Destination = []byte(to)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range outward {
		unlink(n)
	}
	return err
}

func (p *page) heading(n *ast.Heading, source []byte) {
	words := string(plain(n, source))
	switch n.Level {
	case 1:
		p.title = words
	case 2:
		id, _ := n.AttributeString("id")
		if id, ok := id.([]byte); ok {
			p.parts = append(p.parts, part{ID: string(id), Title: words})
		}
	}
}

// plain is the text below a node without its marks.
func plain(n ast.Node, source []byte) []byte {
	var out []byte
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if t, ok := child.(*ast.Text); ok {
			out = append(out, t.Segment.Value(source)...)
			continue
		}
		out = append(out, plain(child, source)...)
	}
	return out
}

// target is the address of what a link in a file points to; false when that
// lies outside the folder.
func target(files fs.FS, name, link string) (string, bool) {
	u, err := url.Parse(link)
	if err != nil {
		return "", false
	}
	if u.Scheme != "" || u.Host != "" || strings.HasPrefix(link, "#") || strings.HasPrefix(u.Path, "/") {
		return link, true
	}
	file := path.Join(path.Dir(name), u.Path)
	if info, err := fs.Stat(files, file); err != nil || info.IsDir() {
		return "", false
	}
	to := "/docs/" + file
	if base, ok := strings.CutSuffix(file, ".md"); ok {
		to = pageAddress(base)
	}
	if u.Fragment != "" {
		to += "#" + u.Fragment
	}
	return to, true
}

// unlink leaves the words of a link and takes the link away.
func unlink(n *ast.Link) {
	parent := n.Parent()
	for child := n.FirstChild(); child != nil; child = n.FirstChild() {
		parent.InsertBefore(parent, n, child)
	}
	parent.RemoveChild(parent, n)
}
