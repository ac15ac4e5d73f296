package drawing

import (
	"fmt"
	"html/template"
	"strings"
	"unicode/utf8"
)

// Node is something that needs others. Mark is what warns of it, empty when nothing does.
type Node struct{ Name, Version, Mark string }

// Edge says that one node needs another, by their numbers.
type Edge struct{ From, To int }

// MaxNodes is how many nodes a picture has; what is beyond stands in the table alone.
const MaxNodes = 150

// The boxes of a graph, in its own units.
const (
	boxWidth, boxHeight = 190.0, 40.0
	gapX, gapY          = 70.0, 14.0
	graphMargin         = 12.0
	maxLabel            = 24
)

// Words are how a node, many of them and a marked one are called.
type Words struct{ One, Many, Marked string }

// Graph draws nodes in columns by how many steps they are away from the first.
func Graph(title string, w Words, nodes []Node, edges []Edge) template.HTML {
	total := len(nodes)
	if total == 0 {
		return ""
	}
	nodes = nodes[:min(total, MaxNodes)]
	at, width, height := columns(len(nodes), edges)
	text := title + ": " + w.summary(nodes, edges, total)
	var out strings.Builder
	// Tall graphs scroll in their frame, and wide ones too.
	fmt.Fprintf(&out, `<figure class="drawing"><div class="scroll" tabindex="0" role="region" aria-label="%s">`,
		template.HTMLEscapeString(title))
	fmt.Fprintf(&out, `<svg width="%s" height="%s" viewBox="0 0 %s %s" role="img" aria-label="%s">`,
		number(width), number(height), number(width), number(height), template.HTMLEscapeString(text))
	for _, e := range edges {
		if !within(e, len(nodes)) {
			continue
		}
		from, to := at[e.From], at[e.To]
		x1, y1, x2, y2 := from[0]+boxWidth, from[1]+boxHeight/2, to[0], to[1]+boxHeight/2
		fmt.Fprintf(&out, `<path class="edge" d="M%s %sC%s %s %s %s %s %s"/>`, number(x1), number(y1), number(x1+gapX/2),
			number(y1), number(x2-gapX/2), number(y2), number(x2), number(y2))
	}
	for i, n := range nodes {
		class, mark := "node", ""
		if n.Mark != "" {
			class, mark = "node is-bad", "⚠ "
		}
		fmt.Fprintf(&out, `<g class="%s"><rect x="%s" y="%s" width="%s" height="%s" rx="6"/><text x="%s" y="%s">%s</text>`+
			`<text class="small" x="%s" y="%s">%s</text></g>`, class, number(at[i][0]), number(at[i][1]),
			number(boxWidth), number(boxHeight), number(at[i][0]+9), number(at[i][1]+17),
			template.HTMLEscapeString(mark+Clip(n.Name, maxLabel)), number(at[i][0]+9), number(at[i][1]+33),
			template.HTMLEscapeString(Clip(strings.TrimSpace(n.Version+" "+n.Mark), maxLabel)))
	}
	out.WriteString(`</svg></div><figcaption>` + template.HTMLEscapeString(w.summary(nodes, edges, total)) +
		`</figcaption></figure>`)
	return template.HTML(out.String()) //nolint:gosec // numbers, and texts that are escaped
}

func within(e Edge, n int) bool { return e.From >= 0 && e.From < n && e.To >= 0 && e.To < n }

// columns puts every node into the column of its distance from the first.
func columns(n int, edges []Edge) (at [][2]float64, width, height float64) {
	needs := make([][]int, n)
	for _, e := range edges {
		if within(e, n) {
			needs[e.From] = append(needs[e.From], e.To)
		}
	}
	depth := make([]int, n)
	for i := range depth {
		depth[i] = -1
	}
	depth[0] = 0
	for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
		for _, to := range needs[queue[0]] {
			if depth[to] < 0 {
				depth[to] = depth[queue[0]] + 1
				queue = append(queue, to)
			}
		}
	}
	filled := map[int]int{}
	for i := range depth {
		depth[i] = max(depth[i], 0)
		x := graphMargin + float64(depth[i])*(boxWidth+gapX)
		y := graphMargin + float64(filled[depth[i]])*(boxHeight+gapY)
		filled[depth[i]]++
		at = append(at, [2]float64{x, y})
		width, height = max(width, x+boxWidth+graphMargin), max(height, y+boxHeight+graphMargin)
	}
	return at, width, height
}

// summary says what the graph shows.
func (w Words) summary(nodes []Node, edges []Edge, total int) string {
	marked := 0
	for _, n := range nodes {
		if n.Mark != "" {
			marked++
		}
	}
	text := counted(total, w.One, w.Many) + ", " + counted(len(edges), "requirement", "requirements")
	if marked > 0 {
		text += fmt.Sprintf(", %d %s", marked, w.Marked)
	} else {
		text += ", none " + w.Marked
	}
	if total > len(nodes) {
		text += fmt.Sprintf("; the first %d are drawn", len(nodes))
	}
	return text
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Clip cuts a text to so many characters, the mark of the cut among them: on a page they
// take the width, and not the bytes as in a message.
func Clip(text string, length int) string {
	if utf8.RuneCountInString(text) <= length {
		return text
	}
	return string([]rune(text)[:length-1]) + "…"
}
