package execute

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// persist adds a layer to the workspace of the workflow.
func (n *node) persist(st *step) result {
	root := n.place(st.Persist.Root)
	var words []string
	for _, p := range st.Persist.Paths {
		if strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") {
			return *failed("The path %q must be relative to root.", p)
		}
		words = append(words, pattern(p))
	}
	// A leading ./ keeps a name that starts with a dash from being an option.
	text := fmt.Sprintf(`cd %s || exit 2; %s; `+
		`[ $# -gt 0 ] || { echo "No path matches anything below the root."; exit 2; }; tar -c -f - -- "$@" >&%d`,
		quote(root), selection(strings.Join(words, " ")), fdDataOut)
	same := func(name string) (string, error) { return name, nil }
	return n.archive(st, text, same, func(ctx context.Context, r io.Reader) error { return n.host.Persist(ctx, r) })
}

// attach unpacks all layers of the workspace.
func (n *node) attach(st *step) result {
	r, err := n.host.Attach(n.ctx)
	if err != nil {
		return n.hostResult(st, err)
	}
	if r == nil {
		st.say("The workspace is empty.")
		return result{outcome: Success}
	}
	defer r.Close()
	// Each layer was bounded when it was saved; together they must fit on the disk.
	limit := bounds{bytes: n.executor.limits.Disk, entries: maxLayers}
	return n.unpack(st, n.place(st.Attach.At), r, limit, func(name string) (string, error) { return name, nil })
}
