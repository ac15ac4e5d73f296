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
	out.Images = nil // a job's own replace those of its executor
	for i, item := range n.items {
		if item.kind != mapping || item.get("image") == nil {
			return item.errorf("an entry of docker needs image")
		}
		name, err := s.text(item.get("image"), "image")
		if err != nil {
			return err
		}
		if s.images {
			if err := b.usedImage(item, s, name, out); err != nil {
				return err
			}
		} else {
			b.unusedImage(item, name, i == 0)
		}
		if env := item.get("environment"); env != nil && i == 0 {
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

func (b *builder) unusedImage(item *node, name string, first bool) {
	if first {
		b.note(item, fmt.Sprintf("the image %s is not used: steps run in a sandbox with the programs of this machine",
			name))
		return
	}
	b.note(item, fmt.Sprintf("the image %s does not run beside the job: there is no container engine, and "+
		"connections to it are refused", name))
}

// usedImage reads an entry of docker for a runner that has a container engine.
func (b *builder) usedImage(item *node, s scope, name string, out *Job) (err error) {
	image := Image{Name: name}
	for _, row := range []struct {
		key string
		to  *[]string
	}{{"entrypoint", &image.Entrypoint}, {"command", &image.Command}} {
		n := item.get(row.key)
		if n == nil {
			continue
		}
		if len(out.Images) == 0 {
			b.note(n, row.key+" of the first image has no effect: the shell of the steps runs in it")
			continue
		}
		if *row.to, err = s.strings(n, row.key); err != nil {
			return err
		}
	}
	for _, key := range []string{"auth", "aws_auth", "user", "name"} {
		if n := item.get(key); n != nil {
			b.note(n, key+" of an image has no effect; images are pulled with pipelines.kubernetes.pull_secret, and "+
				"those beside the job answer on localhost")
		}
	}
	if env := item.get("environment"); env != nil && len(out.Images) > 0 {
		image.Environment = map[string]string{}
		if err := s.environment(env, image.Environment); err != nil {
			return err
		}
	}
	out.Images = append(out.Images, image)
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
