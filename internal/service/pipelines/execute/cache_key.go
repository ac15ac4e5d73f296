package execute

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
)

// maxKey bounds a key after its words were replaced.
const maxKey = 900

// key replaces the {{ words }} of a cache key.
func (n *node) key(st *step, template string) (string, *result) {
	var b strings.Builder
	for rest := template; ; {
		before, after, ok := strings.Cut(rest, "{{")
		b.WriteString(before)
		if !ok {
			break
		}
		word, next, ok := strings.Cut(after, "}}")
		if !ok {
			return "", failed("The key %q has {{ without }}.", template)
		}
		value, bad := n.word(st, strings.TrimSpace(word))
		if bad != nil {
			return "", bad
		}
		b.WriteString(value)
		rest = next
	}
	key := b.String()
	if key == "" || len(key) > maxKey || strings.ContainsAny(key, "\x00\n") {
		return "", failed("The key %.100q must have 1 to %d characters in one line.", key, maxKey)
	}
	return key, nil
}

func failed(format string, args ...any) *result {
	return &result{outcome: Failed, code: -1, reason: fmt.Sprintf(format, args...)}
}

// word is the value of one expression.
func (n *node) word(st *step, word string) (string, *result) {
	switch word {
	case ".Branch":
		return n.task.Branch, nil
	case ".Revision":
		return n.task.Revision, nil
	case ".BuildNum":
		return strconv.FormatInt(n.task.BuildNum, 10), nil
	case ".CheckoutKey":
		return n.task.CheckoutKey, nil
	case "epoch":
		return strconv.FormatInt(n.executor.clock.Now().Unix(), 10), nil
	case "arch":
		return runtime.GOOS + "-" + runtime.GOARCH, nil
	}
	if name, ok := strings.CutPrefix(word, ".Environment."); ok {
		if v, ok := n.task.Job.Environment[name]; ok {
			return v, nil
		}
		return n.task.Environment[name], nil
	}
	if file, ok := strings.CutPrefix(word, "checksum "); ok {
		name, err := strconv.Unquote(strings.TrimSpace(file))
		if err != nil || name == "" {
			return "", failed(`A checksum is written {{ checksum "file" }}, not {{ %s }}.`, word)
		}
		return n.checksum(st, name)
	}
	return "", failed(`{{ %s }} is unknown; known are .Branch, .Revision, .BuildNum, .CheckoutKey, `+
		`.Environment.NAME, checksum "file", epoch and arch.`, word)
}

// maxChecked bounds a file whose checksum is taken.
const maxChecked = 1 << 30

// checksum reads a file from inside the sandbox, where its name means what the
// job sees.
func (n *node) checksum(st *step, name string) (string, *result) {
	hash := sha256.New()
	code, err := n.session.pull(fmt.Sprintf("[ -f %[1]s ] && cat %[1]s >&%[2]d", quote(n.place(name)), fdDataOut),
		n.quiet(st), func(r io.Reader) error {
			size, err := io.Copy(hash, io.LimitReader(r, maxChecked+1))
			if err == nil && size > maxChecked {
				err = errBound
			}
			return err
		})
	switch {
	case errors.Is(err, errGone):
		r := n.ended()
		return "", &r
	case code != 0 || err != nil:
		return "", failed("The checksum of %q cannot be taken: it is not a file that can be read.", name)
	}
	return base64.StdEncoding.EncodeToString(hash.Sum(nil)), nil
}

// quiet is a sink of its own for a command on the side, so that the step's can
// go on afterwards.
func (n *node) quiet(st *step) *sink {
	out := n.sink(st.index, st.silence)
	out.left = st.left
	return out
}
