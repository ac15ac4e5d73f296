package recipe

import (
	"errors"
	"fmt"
)

// Bounds of orbs: how many a file takes in all, and how deep they use each
// other.
const (
	maxOrbs     = 30
	maxOrbDepth = 4
)

// ErrNoOrb says that there is no orb of a name and version.
var ErrNoOrb = errors.New("recipe: no such orb")

// orbReader reads the orbs of one file.
type orbReader struct {
	find func(reference string) (text []byte, name string, err error)
	left int
}

// read takes the section orbs into a space: each is a reference such as
// acme/tools@1.2, or is written out below its name.
func (r *orbReader) read(n *node, into *space, depth int) error {
	if n.kind == scalar && n.value == nil {
		return nil
	}
	if n.kind != mapping {
		return n.errorf("orbs must be a map of names, this is %s", n.what())
	}
	if depth > maxOrbDepth {
		return n.errorf("orbs use each other more than %d deep", maxOrbDepth)
	}
	for _, e := range n.entries {
		if r.left--; r.left < 0 {
			return e.at.errorf("more than %d orbs", maxOrbs)
		}
		body, err := r.body(e)
		if err != nil {
			return err
		}
		orb := newSpace()
		orb.inline = body == e.node
		if err := r.declarations(body, orb, depth); err != nil {
			return err
		}
		into.orbs[e.key] = orb
	}
	return nil
}

// body is what an orb declares.
func (r *orbReader) body(e entry) (*node, error) {
	if e.node.kind == mapping {
		return e.node, nil
	}
	if e.node.kind != scalar || e.node.text == "" {
		return nil, e.node.errorf("an orb is a reference such as acme/tools@1.2, or its jobs, commands and executors "+
			"below its name; this is %s", e.node.what())
	}
	if r.find == nil {
		return nil, e.node.errorf("the orb %s is not here: no folder of orbs is configured (pipelines.orbs), and nothing "+
			"is fetched to read a file; write the orb out below its name", e.node.text)
	}
	text, name, err := r.find(e.node.text)
	if errors.Is(err, ErrNoOrb) {
		return nil, e.node.errorf("the orb %s is not in the folder of orbs (pipelines.orbs); nothing is fetched to "+
			"read a file: put the orb there, or write it out below its name", e.node.text)
	}
	if err != nil {
		return nil, fmt.Errorf("recipe: the orb %s: %w", e.node.text, err)
	}
	return read(text, name)
}

// declarations reads what one orb holds.
func (r *orbReader) declarations(n *node, orb *space, depth int) error {
	if n.kind != mapping {
		return n.errorf("an orb must be a map with jobs, commands or executors, this is %s", n.what())
	}
	for _, e := range n.entries {
		known, err := orb.declareSection(e)
		switch {
		case err != nil:
			return err
		case known:
		case e.key == "orbs":
			if err := r.read(e.node, orb, depth+1); err != nil {
				return err
			}
		case e.key == "version", e.key == "description", e.key == "display", e.key == "examples":
		default:
			return e.at.errorf("%q is unknown in an orb; known are version, description, display, examples, orbs, jobs, "+
				"commands and executors", e.key)
		}
	}
	return nil
}
