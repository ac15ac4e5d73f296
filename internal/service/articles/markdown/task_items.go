package markdown

import (
	"github.com/yuin/goldmark/ast"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// taskItems gives the items of task lists a class.
type taskItems struct{}

// Transform implements parser.ASTTransformer.
func (taskItems) Transform(node *ast.Document, _ text.Reader, _ parser.Context) {
	// The walk never fails: the function does not.
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && n.Kind() == extensionast.KindTaskCheckBox {
			if item := n.Parent().Parent(); item != nil && item.Kind() == ast.KindListItem {
				item.SetAttributeString("class", []byte("task-list-item"))
			}
		}
		return ast.WalkContinue, nil
	})
}

// checkBoxes renders the boxes of task lists, with a name for screen readers.
type checkBoxes struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (checkBoxes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	write := func(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		box, ok := node.(*extensionast.TaskCheckBox)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		text := `<input type="checkbox" class="task-list-item-checkbox" aria-label="to do" disabled=""> `
		if box.IsChecked {
			text = `<input type="checkbox" class="task-list-item-checkbox" aria-label="done" checked="" disabled=""> `
		}
		_, err := w.WriteString(text)
		return ast.WalkContinue, err
	}
	r.Register(extensionast.KindTaskCheckBox, write)
}
