package test_test

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

func storedRules() []rule {
	return []rule{
		{
			name: "what the root key or the blob store holds is checked", check: unstatedRows,
			why: "stoa check reads the tables that module.Blobs and module.Sealed name; a table that no query names is " +
				"damaged unseen",
			bad: map[string]string{
				"internal/service/tasks/migrations/0001_tasks.sql": "-- A hook.\nCREATE TABLE tasks_hooks (\n    id BIGINT,\n" +
					"    sealed {{blob}} NOT NULL\n);\n",
			},
		},
		{
			name: "a service that stores blobs or seals says so", check: unstatedServices,
			why: "its module has the field Blobs or Sealed, or a Verify of its own",
			bad: map[string]string{
				"internal/service/tasks/files/files.go": "package files\n\nfunc f(w *World) { w.Blobs.Put() }\n",
				"internal/service/tasks/service.go":     "package tasks\n",
			},
		},
	}
}

// otherwiseChecked are tables that the queries need not name, each with its reason.
func otherwiseChecked() map[string]string {
	return map[string]string{
		"generate_uploads": "an upload that is not finished; its object is read when it becomes a file",
		"identity_replacements": "opens with the old secret of the caller and the root key together, and lives for a " +
			"minute",
		"kms_keys": "the service's Verify opens every key",
	}
}

var (
	createTable = regexp.MustCompile(`(?s)((?:--[^\n]*\n)*)CREATE TABLE (?:IF NOT EXISTS )?(\w+) \((.*?)\n?\);`)
	holdsBlobs  = regexp.MustCompile(`\bblob_key\b|\bblob\s+\{\{text\}\}|blob store|names the stored bytes`)
	holdsSealed = regexp.MustCompile(`\bsealed\b`)
)

// unstatedRows are tables whose migration says that they hold a key of the blob store, or
// something sealed, and that no query for stoa check names.
func unstatedRows(h *repository) (bad []string) {
	stated := map[string]string{} // the sources by what they state
	for _, s := range h.product() {
		for _, kind := range []string{"BlobRows", "SealedRows"} {
			if strings.Contains(s.Text, kind) {
				stated[kind] += s.Text
			}
		}
	}
	for _, p := range h.others {
		if path.Base(path.Dir(p)) != "migrations" || path.Ext(p) != ".sql" {
			continue
		}
		text, err := fs.ReadFile(h.root, p)
		if err != nil {
			return append(bad, err.Error())
		}
		for _, m := range createTable.FindAllStringSubmatch(string(text), -1) {
			comment, table, body := m[1], m[2], m[3]
			for kind, holds := range map[string]*regexp.Regexp{"BlobRows": holdsBlobs, "SealedRows": holdsSealed} {
				if otherwiseChecked()[table] == "" && holds.MatchString(comment+body) &&
					!regexp.MustCompile(`FROM `+table+`\b`).MatchString(stated[kind]) {
					bad = append(bad, fmt.Sprintf("%s: no module.%s selects from %s", p, kind, table))
				}
			}
		}
	}
	return bad
}

var (
	writesBlobs = regexp.MustCompile(`\.Blobs\.(Put|Create|Begin|NewUpload|StartUpload)\(|\bblob\.Patient\(`)
	sealsRows   = regexp.MustCompile(`\.Seal\.For\(|internal/platform/seal"`)
)

// unstatedServices are services whose code writes blobs or seals while their module
// states neither rows nor a check of its own.
func unstatedServices(h *repository) (bad []string) {
	type uses struct{ blobs, seals bool }
	found, stated := map[string]*uses{}, map[string]string{}
	for _, s := range h.product() {
		rest, ok := strings.CutPrefix(s.Path, "internal/service/")
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(rest, "/")
		if found[name] == nil {
			found[name] = &uses{}
		}
		found[name].blobs = found[name].blobs || writesBlobs.MatchString(s.Text)
		found[name].seals = found[name].seals || sealsRows.MatchString(s.Text)
		if s.Path == "internal/service/"+name+"/service.go" {
			stated[name] = s.Text
		}
	}
	for name, u := range found {
		for field, used := range map[string]bool{"Blobs:": u.blobs, "Sealed:": u.seals} {
			if used && !strings.Contains(stated[name], field) && !strings.Contains(stated[name], "Verify:") {
				bad = append(bad, fmt.Sprintf("internal/service/%s/service.go: the module has no %s", name, field))
			}
		}
	}
	return bad
}
