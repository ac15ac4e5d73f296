package execute

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode"
)

// pack is shell text that writes an archive of one path. GNU tar can be told to
// give both names of a hard link their content.
func pack(place string) string {
	return fmt.Sprintf(`cd /; p=%s; if [ ! -e "$p" ] && [ ! -L "$p" ]; then echo "Not found: /$p"; exit 0; fi
case $(tar --version 2>/dev/null) in *GNU*) h=--hard-dereference;; *) h=;; esac
tar -c $h -f - -- "$p" >&%d`, quote(strings.TrimPrefix(place, "/")), fdDataOut)
}

// maxName bounds the name of an artifact.
const maxName = 1 << 10

// storeArtifacts hands files to the host. Folders are walked by tar inside the
// sandbox; links, pipes and devices are named and left out.
func (n *node) storeArtifacts(st *step) result {
	at := n.place(st.Artifacts.Path)
	total := 0
	code, err := n.session.pull(pack(at), st.sink, func(r io.Reader) error {
		return walkArchive(r, maxEntries, func(h *tar.Header, content io.Reader) error {
			name, err := cleanName(h.Name)
			if err != nil {
				return err
			}
			switch h.Typeflag {
			case tar.TypeDir:
				return nil
			case tar.TypeReg:
			default:
				st.say(fmt.Sprintf("Left out, not a plain file: %.300q", "/"+name))
				return nil
			}
			to := n.artifactPath(st, at, name)
			if to != printable(to) || len(to) > maxName {
				st.say(fmt.Sprintf("Left out, the name is not plain text of at most %d bytes: %.300q", maxName, to))
				return nil
			}
			total++
			return n.storeArtifact(to, h.Size, content)
		})
	})
	switch {
	case errors.Is(err, errGone):
		return n.ended()
	case err != nil:
		return n.hostResult(st, err)
	case code > 1:
		return result{outcome: Failed, code: code,
			reason: fmt.Sprintf("The artifacts could not be read: tar ended with code %d.", code)}
	}
	st.say(fmt.Sprintf("Files uploaded: %d.", total))
	return result{outcome: Success}
}

func (n *node) storeArtifact(name string, size int64, content io.Reader) error {
	l := n.executor.limits
	if n.artifacts++; n.artifacts > l.Artifacts {
		return fmt.Errorf("%w: more than %d artifacts", errBound, l.Artifacts)
	}
	if size > l.Artifact {
		return fmt.Errorf("%w: the artifact %s has %d bytes, at most %d", errBound, name, size, l.Artifact)
	}
	// A file with holes, or with many names, is stored whole each time.
	if n.uploaded += size; n.uploaded > l.Disk {
		return fmt.Errorf("%w: the artifacts of a job have more than %d MiB", errBound, l.Disk>>20)
	}
	return n.host.Artifact(n.ctx, name, size, content)
}

// printable is a name without what is not UTF-8 and without control characters,
// which neither a database nor an address can hold.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
}

// artifactPath is the name an artifact is known by: below its destination, or
// as it lies in the job's folder or on the disk.
func (n *node) artifactPath(st *step, at, name string) string {
	full := "/" + name
	if st.Artifacts.Destination != "" {
		rest, _ := inside(at, full)
		if rest == "." {
			rest = path.Base(full)
		}
		// Cleaned as below a root, so that no destination leads upward.
		return strings.TrimPrefix(path.Join("/", st.Artifacts.Destination, rest), "/")
	}
	for _, dir := range []string{n.work, n.home} {
		if rest, ok := inside(dir, full); ok && rest != "." {
			return rest
		}
	}
	return name
}
