package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"stoa.dev/stoa/internal/app/seedfolder"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/seed"
)

// seeds are the sections of a seed file: what others refer to stands first.
func seeds(identity *identity.Identity, modules []module.Module) []seed.Section {
	list := identity.Seeds()
	for _, m := range modules {
		list = append(list, m.Seeds...)
	}
	return list
}

// seedCommands are those of seed files; every service has a part in them.
func seedCommands(identity *identity.Identity, modules []module.Module) []module.Command {
	sections := seeds(identity, modules)
	return []module.Command{
		{
			Path: "seed apply", Begins: true, Short: "add what a seed file says",
			Long: "The file is checked whole before anything is added; a refusal names line and column. What stands " +
				"before an element that a service refuses stays.",
			Args: []module.Arg{{
				Name: "file", Help: "the seed file, such as world.yaml", File: module.ReadsFile, Pick: pickFolders(sections),
			}},
			Run: func(ctx context.Context, in *module.Input) (any, error) {
				return applySeed(ctx, in.Text("file"), sections)
			},
		},
		{
			Path: "seed write", Short: "write a seed file of what is there now",
			Long: "Passwords, tokens and secrets are not written: only their hashes are kept.",
			Args: []module.Arg{{Name: "file", Help: "the file to write; there must be none yet", File: module.NewFile}},
			Run: func(ctx context.Context, in *module.Input) (any, error) {
				return writeSeed(ctx, in.Text("file"), sections)
			},
		},
	}
}

// CheckSeed reads the text of a seed file without applying it.
func CheckSeed(name, text string) error {
	p := blueprint()
	_, err := seed.Read(name, []byte(text), seeds(p.identity, p.modules))
	return err
}

// InlineSeed is the text of a seed file with what is in its folders written into it.
func InlineSeed(name string) (string, error) {
	text, err := readSeed(name)
	if err != nil {
		return "", err
	}
	p := blueprint()
	whole, err := seed.Inline(filepath.Base(name), text, seeds(p.identity, p.modules), beside(name))
	if err != nil {
		return "", module.Fail(module.Usage, correctSeed, "%w", err)
	}
	return whole, nil
}

// ApplySeed adds what a text without folders says. The variables that it names come
// to env; those that are there already are refused.
func (a *App) ApplySeed(ctx context.Context, name, text string, env map[string]string) error {
	file, err := seed.Read(name, []byte(text), seeds(a.identity, a.modules))
	if err != nil {
		return err
	}
	_, err = file.Apply(ctx, &seed.Run{Env: env})
	return err
}

// correctSeed is the next step where a file is refused whole.
const correctSeed = "nothing was added: correct the file; docs/lab-worlds.md describes it"

func readSeed(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, module.Fail(module.NotFound, "docs/lab-worlds.md has one to begin with; stoa seed write "+name+
			" --data FOLDER writes one of what a folder holds", "there is no seed file %s", name)
	}
	if err != nil {
		return nil, module.Fail(module.NotFound, "see that you may read it", "%w", err)
	}
	if info.Size() > seed.MaxText {
		return nil, module.Fail(module.Usage, "make several files of it", "%s has more than %d bytes", name, seed.MaxText)
	}
	return os.ReadFile(name)
}

// pickFolders lists the folders that a seed file names. One that cannot be read names
// none: what is wrong with it is said when it is applied.
func pickFolders(sections []seed.Section) func(name string) ([]string, error) {
	return func(name string) ([]string, error) {
		text, err := readSeed(name)
		if err != nil {
			return nil, err
		}
		file, err := seed.Read(filepath.Base(name), text, sections)
		if err != nil {
			return nil, nil
		}
		return file.Folders(), nil
	}
}

// beside reads folders that lie beside a file.
func beside(name string) func(folder string) (map[string]string, error) {
	return func(folder string) (map[string]string, error) { return seedfolder.Read(filepath.Dir(name), folder) }
}

func applySeed(ctx context.Context, name string, sections []seed.Section) (any, error) {
	text, err := readSeed(name)
	if err != nil {
		return nil, err
	}
	file, err := seed.Read(filepath.Base(name), text, sections)
	if err != nil {
		return nil, module.Fail(module.Usage, correctSeed, "%w", err)
	}
	run := seed.Run{Files: beside(name)}
	applied, err := file.Apply(ctx, &run)
	if err != nil {
		return nil, module.Fail(module.Failed,
			"what stands before it was added: leave that out of the file, or begin with an empty folder", "%w", err)
	}
	return applied, nil
}

// seedHeader says where the description of the file is.
const seedHeader = "# Described by /docs/world.schema.json of a running server.\n"

func writeSeed(ctx context.Context, name string, sections []seed.Section) (any, error) {
	text, err := seed.Write(ctx, sections)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, module.Fail(module.Conflict, "name a file that is not there yet", "%w", err)
	}
	_, err = f.WriteString(seedHeader + string(text))
	if closing := f.Close(); err == nil {
		err = closing
	}
	return struct {
		File  string `json:"file"`
		Lines int    `json:"lines"`
	}{name, strings.Count(string(text), "\n") + 1}, err
}
