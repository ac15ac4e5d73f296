package machineconfig

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func (f *Finder) cargoSteps() []step {
	steps := []step{
		f.env("CARGO_REGISTRIES_CRATES_IO_INDEX", "CARGO_REGISTRY_INDEX"),
		f.file(cargoSources, f.below("CARGO_HOME", "config.toml"), f.home(".cargo", "config.toml"),
			f.home(".cargo", "config")),
		f.cargoIndexFolders,
	}
	if !f.o.Still {
		steps = append(steps, f.cargoScratch)
	}
	return steps
}

// cargoSources follows the source replacement of a cargo config: the entry
// that replaces crates-io, or else the only registry that is named.
func cargoSources(text string) []string {
	sections := tomlStrings(text)
	name := sections["source.crates-io"]["replace-with"]
	for hops := 0; name != "" && hops < 8; hops++ {
		section := sections["source."+name]
		if section == nil {
			section = sections["registries."+name]
		}
		if address := cmp.Or(section["registry"], section["index"]); address != "" {
			return sparse(address)
		}
		name = section["replace-with"]
	}
	return nil
}

// sparse keeps an address that speaks the sparse protocol; a git index cannot
// be fetched file by file.
func sparse(address string) []string {
	if strings.HasPrefix(address, "sparse+") {
		return []string{address}
	}
	return nil
}

// tomlStrings reads the string values of a TOML file by section. Cargo's
// config files need no more.
func tomlStrings(text string) map[string]map[string]string {
	sections := map[string]map[string]string{}
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			section = strings.ReplaceAll(strings.Trim(line, "[] "), `"`, "")
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		if sections[section] == nil {
			sections[section] = map[string]string{}
		}
		sections[section][strings.TrimSpace(key)] = strings.Trim(strings.TrimSpace(value), `"'`)
	}
	return sections
}

// cargoIndexFolders reads the host name off the folders in which cargo keeps
// its copies of sparse indexes: HOST-HASH.
func (f *Finder) cargoIndexFolders(context.Context) ([]string, string) {
	for _, dir := range []string{f.below("CARGO_HOME", "registry", "index"), f.home(".cargo", "registry", "index")} {
		if dir == "" {
			continue
		}
		if host := indexHost(f.path(dir)); host != "" {
			return []string{"https://" + host}, dir
		}
	}
	return nil, ""
}

var indexFolder = regexp.MustCompile(`^(index\.[a-z0-9.-]+)-[0-9a-f]{16}$`)

func indexHost(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if m := indexFolder.FindStringSubmatch(e.Name()); m != nil {
			return m[1]
		}
	}
	return ""
}

// cargoScratch lets cargo resolve an empty project in a scratch folder and
// looks which index it made a copy of. The project asks for a crate whose name
// cannot be registered, so nothing is downloaded but the index's settings.
func (f *Finder) cargoScratch(ctx context.Context) ([]string, string) {
	dir, err := os.MkdirTemp("", "stoa-cargo-")
	if err != nil {
		return nil, ""
	}
	defer func() { _ = os.RemoveAll(dir) }() // what stays is in the system's temporary folder
	const manifest = "[package]\nname = \"probe\"\nversion = \"0.0.0\"\n" +
		"[lib]\npath = \"lib.rs\"\n[dependencies]\n_0 = \"*\"\n"
	if os.WriteFile(filepath.Join(dir, "Cargo.toml"), []byte(manifest), 0o600) != nil ||
		os.WriteFile(filepath.Join(dir, "lib.rs"), nil, 0o600) != nil {
		return nil, ""
	}
	home := filepath.Join(dir, "home")
	// It fails, because there is no such crate; the copy is made before that.
	_, _ = f.o.Run(ctx, "env", "CARGO_HOME="+home, "cargo", "generate-lockfile", "--manifest-path",
		filepath.Join(dir, "Cargo.toml"))
	if host := indexHost(filepath.Join(home, "registry", "index")); host != "" {
		return []string{"https://" + host}, "cargo generate-lockfile"
	}
	return nil, ""
}
