package recipe

import (
	"fmt"
	"strings"
)

// The systems that a job may be written for.
const (
	Linux   = "linux"
	MacOS   = "macos"
	Windows = "windows"
)

// machineKeys choose a machine for a job. Files can be shared with services
// that have such machines; here they are noted.
func machineKeys() []string {
	return []string{"docker", "machine", "macos", "windows", "resource_class"}
}

// machine reads the keys of a job or an executor that choose a machine.
func (b *builder) machine(in *fields, s scope, out *Job) error {
	for _, key := range machineKeys() {
		n := in.get(key)
		if n == nil {
			continue
		}
		var err error
		switch key {
		case "resource_class":
			err = b.class(n, s, out)
		case "docker":
			err = b.images(n, s, out)
		case "machine":
			err = b.image(n, s, out)
		default:
			out.System = key
			b.note(n, key+": the job is written for "+key+"; the programs of this machine run it, in a sandbox")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// class reads the size, and the kind of machine where the size tells it.
func (b *builder) class(n *node, s scope, out *Job) error {
	text, err := s.text(n, "resource_class")
	if err != nil {
		return err
	}
	out.Class = text
	switch {
	case strings.HasPrefix(text, "macos") || strings.HasPrefix(text, "m2pro") || strings.HasPrefix(text, "m4pro"):
		out.System = MacOS
	case strings.HasPrefix(text, "windows"):
		out.System = Windows
	}
	b.note(n, "resource_class "+text+" has no effect: pipelines.limits bound every job alike, on the processor of "+
		"this machine")
	return nil
}

// images reads the images of docker. The variables of the first were meant for
// the steps; the others were meant to run beside them.
func (b *builder) images(n *node, s scope, out *Job) error {
	if n.kind != sequence || len(n.items) == 0 {
		return n.errorf("docker is a list of images, this is %s", n.what())
	}
	for i, item := range n.items {
		if item.kind != mapping || item.get("image") == nil {
			return item.errorf("an entry of docker needs image")
		}
		name, err := s.text(item.get("image"), "image")
		if err != nil {
			return err
		}
		if i > 0 {
			b.note(item, fmt.Sprintf("the image %s does not run beside the job: there is no container engine, and "+
				"connections to it are refused", name))
			continue
		}
		b.note(item, fmt.Sprintf("the image %s is not used: steps run in a sandbox with the programs of this machine",
			name))
		if env := item.get("environment"); env != nil {
			if out.Environment == nil {
				out.Environment = map[string]string{}
			}
			if err := s.environment(env, out.Environment); err != nil {
				return err
			}
		}
	}
	return nil
}

// image reads machine: true, a name, or a map with image.
func (b *builder) image(n *node, s scope, out *Job) error {
	at := n
	if n.kind == mapping {
		if at = n.get("image"); at == nil {
			at = n
		}
	}
	name := ""
	if at.kind == scalar {
		var err error
		if name, err = s.text(at, "machine"); err != nil {
			return err
		}
	}
	if strings.HasPrefix(name, "windows") {
		out.System = Windows
	}
	if name != "" && name != "true" {
		name = "the image " + name
	} else {
		name = "a machine of its own"
	}
	b.note(n, name+" is not used: steps run in a sandbox with the programs of this machine")
	return nil
}
