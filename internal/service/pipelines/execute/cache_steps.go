package execute

import (
	"context"
	"fmt"
	"io"
	"path"
	"strings"
)

// Names in a cache do not depend on where the home of a job is.
const (
	cacheHome = "home/"
	cacheRoot = "root/"
)

// stored turns a name relative to / into the name in a cache.
func (n *node) stored(name string) (string, error) {
	if rest, ok := inside(n.home, "/"+name); ok {
		return cacheHome + rest, nil
	}
	return cacheRoot + name, nil
}

// restored turns the name in a cache into one relative to /.
func (n *node) restored(name string) (string, error) {
	if rest, ok := strings.CutPrefix(name, cacheHome); ok {
		return strings.TrimPrefix(path.Join(n.home, rest), "/"), nil
	}
	rest, ok := strings.CutPrefix(name, cacheRoot)
	if !ok {
		return "", fmt.Errorf("%w: the cache holds %q, which is not ours", errBound, name)
	}
	if n.executor.remote == nil && !n.executor.sandbox.Confined() {
		return "", fmt.Errorf("%w: without a sandbox a cache may hold files below ~ only, not /%s", errBound, rest)
	}
	return rest, nil
}

// saveCache keeps paths under a key, unless the key is taken.
func (n *node) saveCache(st *step) result {
	key, bad := n.key(st, st.Save.Key)
	if bad != nil {
		return *bad
	}
	var words []string
	for _, p := range st.Save.Paths {
		words = append(words, pattern(strings.TrimPrefix(n.place(p), "/")))
	}
	st.say("Saving cache " + key)
	text := fmt.Sprintf(`cd /; %s; [ $# -gt 0 ] || { echo "There is nothing to save."; exit 0; }; `+
		`tar -c -f - -- "$@" >&%d`, selection(strings.Join(words, " ")), fdDataOut)
	return n.archive(st, text, n.stored, func(ctx context.Context, r io.Reader) error {
		return n.host.SaveCache(ctx, key, r)
	})
}

// restoreCache brings back the first cache that the host knows. None is no
// failure.
func (n *node) restoreCache(st *step) result {
	var keys []string
	for _, template := range st.Restore.Keys {
		key, bad := n.key(st, template)
		if bad != nil {
			return *bad
		}
		keys = append(keys, key)
	}
	found, r, err := n.host.RestoreCache(n.ctx, keys)
	if err != nil {
		return n.hostResult(st, err)
	}
	if r == nil {
		st.say("No cache was found for " + strings.Join(keys, ", "))
		return result{outcome: Success}
	}
	defer r.Close()
	st.say("Found a cache under " + found)
	return n.unpack(st, "/", r, bounds{bytes: n.executor.limits.Cache, entries: maxEntries}, n.restored)
}
