package main

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMain plays the program when the test starts itself as one.
func TestMain(m *testing.M) {
	if os.Getenv("STOA_TEST_AS_ENGINE") != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestProgram asks before a model is loaded, then for one that is not there.
func TestProgram(t *testing.T) {
	t.Parallel()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(own)
	cmd.Env = []string{"STOA_TEST_AS_ENGINE=1"}
	cmd.ExtraFiles = []*os.File{write}
	cmd.Stdin = strings.NewReader(`{"number":1,"count":["a"]}` + "\n" + `{"number":2,"load":{"libraries":"/nowhere"}}` + "\n")
	if err := cmd.Run(); err != nil {
		t.Fatalf("the program: %v, want it to end with its input", err)
	}
	_ = write.Close()
	replies := bufio.NewScanner(read)
	for _, want := range []string{"no model is loaded", ""} {
		if !replies.Scan() || !strings.Contains(replies.Text(), `"refusal"`) || !strings.Contains(replies.Text(), want) {
			t.Fatalf("reply = %s, want a refusal with %q", replies.Text(), want)
		}
	}
}
