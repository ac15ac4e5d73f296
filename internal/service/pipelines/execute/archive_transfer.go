package execute

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"stoa.dev/stoa/internal/platform/module"
)

// lazy tells when it is read for the first time: an archive that the host does
// not want is never made.
type lazy struct {
	io.Reader
	once  sync.Once
	began chan struct{}
}

// Read implements io.Reader.
func (l *lazy) Read(p []byte) (int, error) {
	l.once.Do(func() { close(l.began) })
	return l.Reader.Read(p)
}

// errTaken ends the reading when the host has heard enough.
var errTaken = errors.New("execute: the host reads no further")

// archive has the sandbox write an archive with shell text and gives it,
// repacked, to keep.
func (n *node) archive(st *step, text string, rename func(string) (string, error),
	keep func(context.Context, io.Reader) error) result {
	from, to := io.Pipe()
	source := &lazy{Reader: from, began: make(chan struct{})}
	kept := make(chan error, 1)
	go func() {
		err := keep(n.ctx, source)
		_ = from.CloseWithError(errTaken) // never fails
		kept <- err
	}()
	select {
	case err := <-kept:
		return n.hostResult(st, err)
	case <-source.began:
	}
	var made error
	l := n.executor.limits
	code, err := n.session.pull(text, st.sink, func(r io.Reader) error {
		var size int64
		// A job keeps no more, all in all, than its disk may hold.
		size, made = repack(to, r, bounds{bytes: min(l.Cache, l.Disk-n.saved), entries: maxEntries}, rename)
		n.saved += size
		_ = to.CloseWithError(made) // never fails
		return made
	})
	_ = to.CloseWithError(err) // for a pull that never began
	host := <-kept
	switch {
	case errors.Is(err, errGone):
		return n.ended()
	case errors.Is(made, errBound):
		return result{outcome: Failed, code: -1, reason: module.PlainMessage(made.Error())}
	case code > 1 || errors.Is(made, errTool):
		return result{outcome: Failed, code: code,
			reason: fmt.Sprintf("The archive could not be made: tar ended with code %d.", code)}
	case host != nil:
		return n.hostResult(st, host)
	case made != nil && !errors.Is(made, errTaken):
		return result{outcome: Failed, code: -1, reason: module.PlainMessage(made.Error())}
	}
	return result{outcome: Success}
}

// unpack has the sandbox read an archive from the host.
func (n *node) unpack(st *step, dir string, archive io.Reader, limit bounds,
	rename func(string) (string, error)) result {
	from, to := io.Pipe()
	repacked := make(chan error, 1)
	go func() {
		_, err := repack(to, archive, limit, rename)
		_ = to.CloseWithError(err) // never fails
		repacked <- err
	}()
	code, err := n.session.push(fmt.Sprintf("mkdir -p %s && tar -x -p -f - -C %s", quote(dir), quote(dir)), st.sink,
		from)
	_ = from.CloseWithError(errTaken) // never fails
	failed := <-repacked
	switch {
	case errors.Is(err, errGone):
		return n.ended()
	case errors.Is(failed, errBound):
		return result{outcome: Failed, code: -1, reason: module.PlainMessage(failed.Error())}
	case failed != nil && !errors.Is(failed, errTaken):
		return n.infrastructure(failed)
	case err != nil:
		return n.infrastructure(err)
	case code != 0:
		return result{outcome: Failed, code: code,
			reason: fmt.Sprintf("The archive could not be unpacked: tar ended with code %d.", code)}
	}
	return result{outcome: Success}
}

// hostResult judges an error of the host.
func (n *node) hostResult(st *step, err error) result {
	switch {
	case err == nil:
		return result{outcome: Success}
	case errors.Is(err, ErrExists):
		st.say("A cache with this key exists already; nothing is saved.")
		return result{outcome: Success}
	case errors.Is(err, ErrRefused), errors.Is(err, errBound), errors.Is(err, errTool):
		return result{outcome: Failed, code: -1, reason: module.PlainMessage(err.Error())}
	default:
		return n.infrastructure(err)
	}
}

// selection is shell text that collects the given words, which may be
// patterns, as positional parameters, and says what does not exist.
func selection(words string) string {
	return fmt.Sprintf(`set --; for p in %s; do if [ -e "$p" ] || [ -L "$p" ]; then set -- "$@" "$p"; `+
		`else echo "Not found: $p"; fi; done`, words)
}
