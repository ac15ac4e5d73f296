package admin_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func commands() []module.Command {
	return []module.Command{
		{
			Path: "echo", Args: []module.Arg{{Name: "word"}},
			Run: func(_ context.Context, in *module.Input) (any, error) {
				in.Progress(module.Progress{Done: 1, Total: 2, Note: "half"})
				return map[string]string{"word": in.Text("word")}, nil
			},
		},
		{Path: "refuse", Run: func(context.Context, *module.Input) (any, error) {
			return nil, module.Fail(module.Conflict, "choose another", "the name is taken")
		}},
		{Path: "break", Run: func(context.Context, *module.Input) (any, error) {
			return nil, errors.New("disk on fire")
		}},
		{Path: "wait", Run: func(context.Context, *module.Input) (any, error) {
			return nil, fmt.Errorf("list users: %w", database.ErrUnavailable)
		}},
	}
}

func listen(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	status := func() admin.Status { return admin.Status{PID: 42, Version: "v1", URL: "http://x"} }
	s, err := admin.Listen(dir, commands, status, func(w io.Writer, changed bool) error {
		_, err := fmt.Fprintf(w, "changed: %v\n", changed)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Errorf("close: %v", err)
		}
		if _, err := os.Stat(filepath.Join(dir, admin.SocketName)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("socket after close: %v, want not exist", err)
		}
	})
	return dir
}

func dial(t *testing.T, dir string) *admin.Client {
	t.Helper()
	c, status, err := admin.Dial(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if status.PID != 42 {
		t.Errorf("status = %+v, want pid 42", status)
	}
	return c
}

func TestConfigTravels(t *testing.T) {
	c := dial(t, listen(t))
	for changed, want := range map[bool]string{false: "changed: false\n", true: "changed: true\n"} {
		if got, err := c.Config(t.Context(), changed); err != nil || string(got) != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
}

func TestCommandsTravel(t *testing.T) {
	dir := listen(t)
	c := dial(t, dir)

	t.Run("result and progress", func(t *testing.T) {
		var seen []module.Progress
		got, err := c.Run(t.Context(), "echo", map[string][]string{"word": {"hi"}},
			func(p module.Progress) { seen = append(seen, p) })
		if err != nil || string(got) != `{"word":"hi"}` {
			t.Fatalf("result = %s, %v", got, err)
		}
		if len(seen) != 1 || seen[0].Note != "half" {
			t.Fatalf("progress = %+v, want one line", seen)
		}
	})

	for name, row := range map[string]struct {
		path string
		want module.Failure
	}{
		"a failure keeps its kind":     {"refuse", module.Conflict},
		"any other error is a failure": {"break", module.Failed},
		"unknown commands are refused": {"nonsense", module.Usage},
		"missing values are refused":   {"echo", module.Usage},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.Run(t.Context(), row.path, nil, nil)
			var failure *module.CommandError
			if !errors.As(err, &failure) || failure.Failure != row.want {
				t.Fatalf("err = %v, want failure %s", err, row.want)
			}
		})
	}
}

// TestStoresThatDoNotAnswer: a command that fails because its server's database is away says what to do.
func TestStoresThatDoNotAnswer(t *testing.T) {
	_, err := dial(t, listen(t)).Run(t.Context(), "wait", nil, nil)
	var failure *module.CommandError
	if !errors.As(err, &failure) || !strings.Contains(failure.Next, "start the database") {
		t.Errorf("err = %+v, want a next step", err)
	}
}

func TestSocketIsPrivate(t *testing.T) {
	dir := listen(t)
	info, err := os.Stat(filepath.Join(dir, admin.SocketName))
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o600 {
		t.Errorf("mode = %o, want 600", got)
	}
}

func TestNoServer(t *testing.T) {
	t.Parallel()
	if _, _, err := admin.Dial(t.Context(), t.TempDir()); !errors.Is(err, admin.ErrNoServer) {
		t.Errorf("empty folder: err = %v, want ErrNoServer", err)
	}
}

func TestLeftOverSocketIsReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, admin.SocketName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := admin.Listen(dir, nil, func() admin.Status { return admin.Status{} }, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}
