package transfer_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"stoa.dev/stoa/internal/app/admin/transfer"
	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/module"
)

func command() module.Command {
	return module.Command{Path: "copy", Args: []module.Arg{
		{Name: "from", File: module.ReadsFile}, {Name: "to", File: module.ReplacesFile},
	}}
}

// There and back: the server's copy has the bytes, and what it writes replaces the file.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	data, mine := t.TempDir(), t.TempDir()
	from, to := filepath.Join(mine, "from.txt"), filepath.Join(mine, "to.txt")
	for path, text := range map[string]string{from: "new", to: "old"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	values := map[string][]string{"from": {from}, "to": {to}}
	if err := transfer.CheckOutputs(command(), values); err != nil {
		t.Fatal(err)
	}
	var stream bytes.Buffer
	if err := transfer.SendInputs(&stream, command(), values); err != nil {
		t.Fatal(err)
	}
	copies, err := transfer.Receive(data, command(), values, &stream)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(copies.Values["from"][0])
	if err != nil || string(text) != "new" {
		t.Fatalf("the copy holds %q, %v", text, err)
	}
	if err := os.WriteFile(copies.Values["to"][0], text, 0o600); err != nil {
		t.Fatal(err)
	}
	stream.Reset()
	if err := copies.SendOutputs(&stream); err != nil {
		t.Fatal(err)
	}
	if err := transfer.TakeOutputs(&stream, command(), values); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(to); err != nil || string(text) != "new" {
		t.Errorf("the file holds %q, %v", text, err)
	}
	if got := copies.AsNamed("wrote " + copies.Values["to"][0]); got != "wrote "+to {
		t.Errorf("named %q", got)
	}
	if err := copies.Remove(); err != nil {
		t.Error(err)
	}
}

// Whatever a stream holds, nothing is written beside the server's folder of copies.
func FuzzReceive(f *testing.F) {
	var whole bytes.Buffer
	if err := transfer.SendInputs(&whole, module.Command{}, nil); err != nil {
		f.Fatal(err)
	}
	fuzztest.Bytes(f, whole.Bytes(), []byte("../../x"), []byte{})
	f.Fuzz(func(t *testing.T, stream []byte) {
		data := t.TempDir()
		values := map[string][]string{"from": {"/a/b"}, "to": {"/c/d"}}
		copies, err := transfer.Receive(data, command(), values, bytes.NewReader(stream))
		if err == nil {
			err = copies.Remove()
			if err != nil {
				t.Fatal(err)
			}
		}
		left, err := os.ReadDir(data)
		if err != nil || len(left) != 1 || left[0].Name() != transfer.FolderName {
			t.Errorf("%q left %v, %v", stream, left, err)
		}
	})
}
