package graphql

import (
	"encoding/base64"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/wire"
)

// Connection is a part of a list.
type Connection struct {
	Nodes []any
	// Offset is the place of the first node in the list of Total entries.
	Offset, Total int64
}

// isConnection reports whether a type is one of lists that are read in parts.
func isConnection(name string) bool { return strings.HasSuffix(name, "Connection") }

// List reads a part of a list, from an offset, and says how long the list is. With a size of
// zero it only counts.
type List func(size int, offset int64) (nodes []any, total int64, err error)

// Page reads the part of a list that a field asks for.
func (c *Call) Page(list List) (any, error) {
	if !c.Selects("nodes", "edges", "pageInfo") {
		_, total, err := list(0, 0)
		return &Connection{Total: total}, err
	}
	from, err := c.cursor("after", -1)
	if err != nil {
		return nil, err
	}
	from++
	before, err := c.cursor("before", -1)
	if err != nil {
		return nil, err
	}
	first, hasFirst := c.Int("first")
	last, hasLast := c.Int("last")
	if !hasLast && before < 0 {
		nodes, total, err := list(int(first), from)
		return &Connection{Nodes: nodes, Offset: from, Total: total}, err
	}
	_, total, err := list(0, 0)
	if err != nil {
		return nil, err
	}
	to := total
	if before >= 0 {
		to = min(to, before)
	}
	if hasFirst {
		to = min(to, from+first)
	}
	if hasLast {
		from = max(from, to-last)
	}
	if from >= to {
		return &Connection{Offset: min(from, total), Total: total}, nil
	}
	nodes, total, err := list(int(to-from), from)
	return &Connection{Nodes: nodes, Offset: from, Total: total}, err
}

// PageOf is Page for a list that is at hand.
func (c *Call) PageOf(all []any) (any, error) {
	return c.Page(func(size int, offset int64) ([]any, int64, error) {
		total := int64(len(all))
		from := min(offset, total)
		return all[from:min(from+int64(size), total)], total, nil
	})
}

const cursorPrefix = "cursor:"

func cursorOf(at int64) string {
	return base64.StdEncoding.EncodeToString([]byte(cursorPrefix + strconv.FormatInt(at, 10)))
}

// cursor reads the place that a field begins after or ends before.
func (c *Call) cursor(name string, fallback int64) (int64, error) {
	text := c.Text(name)
	if text == "" {
		return fallback, nil
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	number, ok := strings.CutPrefix(string(raw), cursorPrefix)
	at, notNumber := strconv.ParseUint(number, 10, 31)
	if err != nil || !ok || notNumber != nil {
		return 0, &Error{Message: "`" + clip(text) + "` does not appear to be a valid cursor."}
	}
	return int64(at), nil
}

// clip bounds what an answer repeats of a request.
func clip(text string) string { return wire.Clip(text, 300) }

// Edge is a node with its place in a list.
type Edge struct {
	Node any
	At   int64
}

// connectionField answers the fields that all connections have.
func connectionField(name string) (resolve Resolver, fault string) {
	switch name {
	case "nodes":
		return Of(func(_ *Call, c *Connection) (any, error) { return list(c.Nodes), nil }), ""
	case "edges":
		return Of(func(_ *Call, c *Connection) (any, error) {
			out := []any{}
			for i, n := range c.Nodes {
				out = append(out, Edge{n, c.Offset + int64(i)})
			}
			return out, nil
		}), ""
	case "totalCount":
		return Of(func(_ *Call, c *Connection) (any, error) { return c.Total, nil }), ""
	case "pageInfo":
		return Of(func(_ *Call, c *Connection) (any, error) { return c, nil }), ""
	}
	return nil, "is not a field of connections"
}

func list(nodes []any) []any {
	if nodes == nil {
		return []any{}
	}
	return nodes
}

// edgeField answers the fields that all edges have.
func edgeField(name string) (resolve Resolver, fault string) {
	switch name {
	case "node":
		return Of(func(_ *Call, e Edge) (any, error) { return e.Node, nil }), ""
	case "cursor":
		return Of(func(_ *Call, e Edge) (any, error) { return cursorOf(e.At), nil }), ""
	}
	return nil, "is not a field of edges"
}

// PageInfo are the resolvers of the type that says where a part of a list ends.
func PageInfo() map[string]Resolver {
	cursor := func(at func(*Connection) int64) Resolver {
		return Of(func(_ *Call, c *Connection) (any, error) {
			if len(c.Nodes) == 0 {
				return nil, nil
			}
			return cursorOf(at(c)), nil
		})
	}
	return map[string]Resolver{
		"hasNextPage": Of(func(_ *Call, c *Connection) (any, error) {
			return c.Offset+int64(len(c.Nodes)) < c.Total, nil
		}),
		"hasPreviousPage": Of(func(_ *Call, c *Connection) (any, error) { return c.Offset > 0 && c.Total > 0, nil }),
		"startCursor":     cursor(func(c *Connection) int64 { return c.Offset }),
		"endCursor":       cursor(func(c *Connection) int64 { return c.Offset + int64(len(c.Nodes)) - 1 }),
	}
}
