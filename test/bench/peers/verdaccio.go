package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

const (
	packageName    = "made-up-package"
	packageHas     = 10 // versions
	packageVersion = "1.1.0"
	stoaPackage    = "/v3/systems/npm/packages/" + packageName
)

// verdaccioConfig has no registry behind it, so that nothing leaves the machine.
const verdaccioConfig = `storage: ./storage
uplinks: {}
auth: {htpasswd: {file: ./htpasswd}}
packages: {'**': {access: $all, publish: $all}}
log: {type: stdout, level: fatal}
`

func verdaccio() peer {
	return peer{
		name: "Verdaccio", pin: pins()["verdaccio"],
		durable: "publishing, not asked here, is written to files without fsync",
		differs: []string{
			"It is a registry: npm installs from it. Stoa is not; it answers what is known about packages " +
				"of seven ecosystems. What is compared is finding one made-up package with ten versions, and " +
				"one version of it, by name, without a token in both.",
			"Its document of a package holds every version's whole manifest; Stoa's holds the versions' " +
				"keys and dates.",
		},
		servers: func(ctx context.Context, r *run, p pin) (theirs, ours server, err error) {
			script, err := r.nodeScript(ctx, p, "bin/verdaccio")
			if err != nil {
				return theirs, ours, err
			}
			theirs, ours = r.beside(func(folder, address string) []string {
				return append(script, "--config", filepath.Join(folder, "config.yaml"), "--listen", address)
			}, "/-/ping")
			theirs.prepare = func(folder string) error {
				return os.WriteFile(filepath.Join(folder, "config.yaml"), []byte(verdaccioConfig), 0o600)
			}
			return theirs, ours, nil
		},
		asks: verdaccioAsks,
	}
}

func verdaccioAsks(ctx context.Context, r *run, theirs, ours *child) ([]ask, error) {
	for i := range packageHas {
		if err := theirs.publish(ctx, fmt.Sprintf("1.%d.0", i)); err != nil {
			return nil, err
		}
	}
	if err := ours.importPackage(ctx); err != nil {
		return nil, err
	}
	get := func(what, path, stoaPath string) ask {
		return ask{
			what: what, clients: readers, theirs: "GET " + what, ours: "GET " + what,
			askTheirs: r.request(theirs, readers, http.MethodGet, path, "", ""),
			askOurs:   r.request(ours, readers, http.MethodGet, stoaPath, "", ""),
		}
	}
	return []ask{
		get("package", "/"+packageName, stoaPackage),
		get("version", "/"+packageName+"/"+packageVersion, stoaPackage+"/versions/"+packageVersion),
	}, nil
}

// publish sends one version as npm does.
func (c *child) publish(ctx context.Context, version string) error {
	file := packageName + "-" + version + ".tgz"
	content := []byte("not looked into: " + version)
	text, err := json.Marshal(map[string]any{
		"_id": packageName, "name": packageName, "dist-tags": map[string]string{"latest": version},
		"versions": map[string]any{version: map[string]any{
			"name": packageName, "version": version, "license": "MIT", "homepage": "https://example.com/" + packageName,
			"repository":   map[string]string{"type": "git", "url": "https://github.com/made/up"},
			"dependencies": map[string]string{"a": "^1.0.0", "b": "~2.1.0"},
			"dist":         map[string]string{"tarball": "http://" + c.address + "/" + packageName + "/-/" + file},
		}},
		"_attachments": map[string]any{file: map[string]any{
			"content_type": "application/octet-stream", "length": len(content),
			"data": base64.StdEncoding.EncodeToString(content),
		}},
	})
	if err != nil {
		return err
	}
	return c.call(ctx, http.MethodPut, "/"+packageName, "", string(text), nil)
}

// importPackage gives Stoa the same package in a dump.
func (c *child) importPackage(ctx context.Context) error {
	p := catalog.Package{Key: catalog.PackageKey{System: catalog.NPM, Name: packageName}}
	for i := range packageHas {
		version := fmt.Sprintf("1.%d.0", i)
		p.Versions = append(p.Versions, catalog.Version{
			Key: p.Key.At(version), Published: time.Date(2020, 1, 1+i, 0, 0, 0, 0, time.UTC), Complete: true,
			Licenses: []catalog.License{{Written: "MIT", SPDX: "MIT"}},
			Links: []catalog.Link{
				{Label: "SOURCE_REPO", URL: "https://github.com/made/up"},
				{Label: "HOMEPAGE", URL: "https://example.com/" + packageName},
			},
			Requires: &catalog.Requirements{NPM: &catalog.NPMRequirements{Dependencies: catalog.NPMDependencies{
				Dependencies: []catalog.Requirement{
					{Name: "a", Requirement: "^1.0.0"},
					{Name: "b", Requirement: "~2.1.0"},
				},
			}}},
		})
	}
	line, err := json.Marshal(p)
	if err != nil {
		return err
	}
	dump := filepath.Join(c.folder, "dump.jsonl")
	text := fmt.Appendf(nil, `{"format":"stoa packages","version":1,"packages":1}`+"\n%s\n", line)
	if err := os.WriteFile(dump, text, 0o600); err != nil {
		return err
	}
	_, err = c.operator(ctx, "packages import", "", map[string][]string{"file": {dump}})
	return err
}
