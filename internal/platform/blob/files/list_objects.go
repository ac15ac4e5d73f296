package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/blob/format"
)

// List implements Objects. Folders that cannot hold an answer are not opened.
func (s *Store) List(ctx context.Context, prefix, after string, limit int) ([]blob.Info, error) {
	if err := format.CheckPrefix(prefix); err != nil {
		return nil, err
	}
	l := &lister{store: s, ctx: ctx, prefix: prefix, after: after, limit: max(limit, 1)}
	// Everything with the prefix lies below the prefix's last whole folder.
	folder := prefix[:strings.LastIndexByte(prefix, '/')+1]
	if err := l.walk(folder); err != nil {
		return nil, err
	}
	return l.found, nil
}

type lister struct {
	store         *Store
	ctx           context.Context //nolint:containedctx // Lives for one call of List.
	prefix, after string
	limit         int
	found         []blob.Info
}

// walk visits folder ("" or ending in a slash) in the order of keys: an object by its name, a folder by its name and
// a slash, which is how its keys begin.
func (l *lister) walk(folder string) error {
	entries, err := fs.ReadDir(l.store.root.FS(), strings.TrimSuffix(format.ObjectsDir+"/"+folder, "/"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		if name, isObject := strings.CutSuffix(e.Name(), objectMark); isObject {
			names = append(names, folder+name)
		} else {
			names = append(names, folder+e.Name()+"/")
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if len(l.found) == l.limit {
			return nil
		}
		if err := l.visit(name); err != nil {
			return err
		}
	}
	return nil
}

func (l *lister) visit(name string) error {
	if strings.HasSuffix(name, "/") {
		// A folder matters if its keys can have the prefix, and can come after the mark.
		inside := strings.HasPrefix(name, l.prefix) || strings.HasPrefix(l.prefix, name)
		if !inside || (name < l.after && !strings.HasPrefix(l.after, name)) {
			return nil
		}
		return l.walk(name)
	}
	if !strings.HasPrefix(name, l.prefix) || name <= l.after {
		return nil
	}
	info, err := l.store.Stat(l.ctx, name)
	if errors.Is(err, blob.ErrNotFound) {
		return nil // Expired, or deleted since the folder was read.
	}
	if errors.Is(err, blob.ErrDamaged) {
		info, err = blob.Info{Key: name}, nil
	}
	if err != nil {
		return err
	}
	l.found = append(l.found, info)
	return nil
}
