package admin_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/internal/platform/module"
)

// fileCommands note where the server was told to read and write.
func fileCommands(seen *[]string) []module.Command {
	return []module.Command{
		{
			Path: "join", Args: []module.Arg{
				{Name: "to", File: module.NewFile}, {Name: "file", File: module.ReadsFile, Many: true},
			},
			Run: func(_ context.Context, in *module.Input) (any, error) {
				var all []byte
				for _, name := range in.Texts("file") {
					text, err := os.ReadFile(name)
					if err != nil {
						return nil, err
					}
					all = append(all, text...)
				}
				*seen = append(*seen, in.Text("to"))
				in.Progress(module.Progress{Note: "writing " + in.Text("to")})
				if strings.Contains(string(all), "refuse") {
					return nil, module.Fail(module.Conflict, "look at "+in.Texts("file")[0], "%s is refused", in.Text("to"))
				}
				return map[string]string{"file": in.Text("to")}, os.WriteFile(in.Text("to"), all, 0o600)
			},
		},
		{
			Path: "tree", Args: []module.Arg{
				{Name: "from", File: module.ReadsFolder}, {Name: "to", File: module.NewFolder},
			},
			Run: func(_ context.Context, in *module.Input) (any, error) {
				*seen = append(*seen, in.Text("from"), in.Named("from")[0])
				return struct{}{}, os.CopyFS(in.Text("to"), os.DirFS(in.Text("from")))
			},
		},
		{
			Path: "lie", Args: []module.Arg{{Name: "to", File: module.NewFile}},
			Run: func(context.Context, *module.Input) (any, error) { return "done", nil },
		},
	}
}

// The server opens copies in its own folder; the operator's files are read and written by
// the operator's process, under the names that the operator typed.
func TestFilesTravel(t *testing.T) {
	var seen []string
	list := fileCommands(&seen)
	data, mine := t.TempDir(), t.TempDir()
	s, err := admin.Listen(data, func() []module.Command { return list },
		func() admin.Status { return admin.Status{PID: 42} }, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	c := dial(t, data)
	put := func(name, text string) string {
		t.Helper()
		path := filepath.Join(mine, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err := errors.Join(err, os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a, b, no := put("a/x.txt", "one\n"), put("b/x.txt", "two\n"), put("no.txt", "refuse")
	to, out := filepath.Join(mine, "to.txt"), filepath.Join(mine, "out")

	var notes []string
	note := func(p module.Progress) { notes = append(notes, p.Note) }
	got, err := c.RunWithFiles(t.Context(), list[0], map[string][]string{"to": {to}, "file": {a, b}}, note)
	if err != nil || string(got) != `{"file":"`+to+`"}` || len(notes) != 1 || notes[0] != "writing "+to {
		t.Fatalf("result = %s, notes %q, %v", got, notes, err)
	}
	if text, err := os.ReadFile(to); err != nil || string(text) != "one\ntwo\n" {
		t.Errorf("written is %q, %v", text, err)
	}
	if !strings.HasPrefix(seen[0], data) {
		t.Errorf("the server wrote to %s, want below its data folder", seen[0])
	}
	put("in/deep/y", "y")
	in := filepath.Join(mine, "in")
	_, err = c.RunWithFiles(t.Context(), list[1], map[string][]string{"from": {in}, "to": {out}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(out, "deep", "y")); err != nil || string(text) != "y" {
		t.Errorf("the folder holds %q, %v", text, err)
	}
	if last := seen[len(seen)-2:]; !strings.HasPrefix(last[0], data) || last[1] != in {
		t.Errorf("the server read %q", last)
	}
	checkRefusedFiles(t, c, list, mine, map[string]string{"a": a, "no": no, "to": to})
	if left, err := filepath.Glob(filepath.Join(data, "transfer", "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

func checkRefusedFiles(t *testing.T, c *admin.Client, list []module.Command, mine string, at map[string]string) {
	t.Helper()
	fresh := filepath.Join(mine, "fresh")
	for name, row := range map[string]struct {
		command int
		values  map[string][]string
		want    module.Failure
		says    string
	}{
		"no such input": {
			0, map[string][]string{"to": {fresh}, "file": {mine + "/none"}}, module.NotFound,
			"there is no " + mine + "/none",
		},
		"no such folder": {
			0, map[string][]string{"to": {mine + "/none/x"}, "file": {at["a"]}}, module.NotFound,
			"there is no folder " + mine + "/none",
		},
		"it exists": {
			0, map[string][]string{"to": {at["to"]}, "file": {at["a"]}}, module.Conflict, at["to"] + " exists",
		},
		"the command refuses": {
			0, map[string][]string{"to": {fresh}, "file": {at["no"]}}, module.Conflict,
			fresh + " is refused; look at " + at["no"],
		},
		"a folder for a file": {
			0, map[string][]string{"to": {fresh}, "file": {mine}}, module.Usage, mine + " is not an ordinary file",
		},
	} {
		_, err := c.RunWithFiles(t.Context(), list[row.command], row.values, nil)
		var failure *module.CommandError
		if !errors.As(err, &failure) || failure.Failure != row.want || !strings.HasPrefix(failure.Error(), row.says) {
			t.Errorf("%s: %v, want %s %q", name, err, row.want, row.says)
		}
	}
	if _, err := c.RunWithFiles(t.Context(), list[2], map[string][]string{"to": {fresh}}, nil); err == nil {
		t.Error("a command that wrote nothing is done")
	}
	if _, err := os.Lstat(fresh); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("refused commands left a file: %v", err)
	}
}
