package manifest

import (
	"encoding/json"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// readPackageLock reads npm's lock file: the flat list of newer versions or
// the tree of the first one.
func readPackageLock(text []byte) ([]catalog.VersionKey, error) {
	var lock struct {
		Packages map[string]struct {
			Name    string `json:"name"`
			Version string `json:"version"`
			Link    bool   `json:"link"`
		} `json:"packages"`
		Dependencies lockTree `json:"dependencies"`
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, err
	}
	var keys []catalog.VersionKey
	add := func(name, version string) {
		keys = append(keys, catalog.VersionKey{System: catalog.NPM, Name: name, Version: version})
	}
	for path, n := range lock.Packages {
		i := strings.LastIndex(path, "node_modules/")
		if i < 0 || n.Link || n.Version == "" {
			continue
		}
		if n.Name == "" {
			n.Name = path[i+len("node_modules/"):]
		}
		add(n.Name, n.Version)
	}
	if len(lock.Packages) == 0 {
		lock.Dependencies.each(add)
	}
	slices.SortFunc(keys, func(a, b catalog.VersionKey) int { return strings.Compare(a.String(), b.String()) })
	return keys, nil
}

// lockTree is the tree of an old lock file, as deep as the decoder allows.
type lockTree map[string]struct {
	Version      string   `json:"version"`
	Dependencies lockTree `json:"dependencies"`
}

func (t lockTree) each(visit func(name, version string)) {
	for name, n := range t {
		if n.Version != "" {
			visit(name, n.Version)
		}
		n.Dependencies.each(visit)
	}
}

// readGoSum reads checksum lines; those of a go.mod alone count too, because
// the module was part of the build's graph.
func readGoSum(text []byte) ([]catalog.VersionKey, error) {
	var keys []catalog.VersionKey
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 3 {
			keys = append(keys, catalog.VersionKey{
				System: catalog.Go, Name: fields[0], Version: strings.TrimSuffix(fields[1], "/go.mod"),
			})
		}
	}
	return keys, nil
}

// readCargoLock reads the package tables. Those without a source are the
// workspace's own.
func readCargoLock(text []byte) ([]catalog.VersionKey, error) {
	var keys []catalog.VersionKey
	for _, table := range strings.Split(string(text), "[[package]]")[1:] {
		values := map[string]string{}
		for line := range strings.Lines(table) {
			if name, value, ok := strings.Cut(line, "="); ok {
				values[strings.TrimSpace(name)] = strings.Trim(strings.TrimSpace(value), `"`)
			}
		}
		if strings.HasPrefix(values["source"], "registry+") || strings.HasPrefix(values["source"], "sparse+") {
			keys = append(keys, catalog.VersionKey{
				System: catalog.Cargo, Name: values["name"], Version: values["version"],
			})
		}
	}
	return keys, nil
}

// readRequirements reads pip's requirements. Only "==" names a version; other
// lines stand for the package.
func readRequirements(text []byte) ([]catalog.VersionKey, error) {
	var keys []catalog.VersionKey
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		line, _, _ = strings.Cut(line, ";")
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "-") || strings.Contains(line, "://") {
			continue
		}
		name, version, exact := strings.Cut(line, "==")
		version, _, _ = strings.Cut(strings.Trim(version, "= "), " ")
		if !exact || strings.ContainsAny(version, ",*") {
			version = ""
		}
		name = name[:nameEnd(name)]
		keys = append(keys, catalog.VersionKey{System: catalog.PyPI, Name: name, Version: version})
	}
	return keys, nil
}

// nameEnd is where a requirement's name ends and extras or ranges begin.
func nameEnd(s string) int {
	if i := strings.IndexAny(s, " [<>=!~,("); i >= 0 {
		return i
	}
	return len(s)
}
