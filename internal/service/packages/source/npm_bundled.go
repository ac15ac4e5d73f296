package source

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// The bounds on unpacking an archive, which anyone can publish.
const (
	maxArchive  = 64 << 20
	maxUnpacked = 512 << 20
	maxManifest = 1 << 20
	maxBundled  = 2000
	// maxManifests bounds the text of all manifests of an archive.
	maxManifests = 4 << 20
)

// bundled reads the manifests packed inside the archive, and the archive's digests.
func (s *npmSource) bundled(ctx context.Context, a *catalog.Artifact) ([]catalog.NPMBundle, error) {
	res, err := s.fetch(ctx, a.URL, maxArchive)
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	a.Hashes = AllHashes(a.Hashes, res.Body)
	list, err := bundledManifests(ctx, res.Body)
	if err != nil {
		return nil, s.garbage("package archive", err)
	}
	return list, nil
}

// bundledManifests finds every package.json below a node_modules folder, the
// nested ones too. The path is that of the package's folder in the archive.
func bundledManifests(ctx context.Context, archive []byte) ([]catalog.NPMBundle, error) {
	var list []catalog.NPMBundle
	left := maxManifests
	err := eachFile(ctx, archive, func(name string, r io.Reader) error {
		// The first segment is the packed folder, whatever it is called.
		_, inner, ok := strings.Cut(path.Clean(name), "/")
		if !ok || !isBundledManifest(inner) || len(list) == maxBundled || left <= 0 {
			return nil
		}
		text, err := io.ReadAll(io.LimitReader(r, maxManifest))
		if err != nil {
			return err
		}
		left -= len(text)
		if err := registry.Charge(ctx, int64(len(text))+values(text)*valueWeight); err != nil {
			return err
		}
		var m npmManifest
		if json.Unmarshal(text, &m) != nil {
			return nil
		}
		list = append(list, catalog.NPMBundle{
			Path: path.Dir(inner), Name: m.Name, Version: m.Version, Dependencies: m.dependencies(),
		})
		return nil
	})
	slices.SortFunc(list, func(a, b catalog.NPMBundle) int { return strings.Compare(a.Path, b.Path) })
	return list, err
}

// isBundledManifest reports whether the file is the manifest of a package in a
// node_modules folder, and not some package.json among that package's files.
func isBundledManifest(name string) bool {
	dir, file := path.Split(name)
	if file != "package.json" {
		return false
	}
	parts := strings.Split(strings.TrimSuffix(dir, "/"), "/")
	n := len(parts)
	scoped := n >= 3 && parts[n-3] == "node_modules" && strings.HasPrefix(parts[n-2], "@")
	return scoped || n >= 2 && parts[n-2] == "node_modules" && !strings.HasPrefix(parts[n-1], "@")
}

// eachFile walks the files of a compressed tar archive.
func eachFile(ctx context.Context, archive []byte, visit func(name string, r io.Reader) error) error {
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return err
	}
	files := tar.NewReader(io.LimitReader(whileWanted{ctx, unzipped}, maxUnpacked))
	for {
		head, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if head.Typeflag != tar.TypeReg {
			continue
		}
		if err := visit(head.Name, files); err != nil {
			return err
		}
	}
}
