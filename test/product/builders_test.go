package product_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/test/program"
)

// recordingGo stands for the go command: it notes how the binary would be compiled and makes nothing.
const recordingGo = `#!/bin/sh
[ "$1" = build ] || exit 0
case "$*" in *stoa-engine*) echo "engine $GOOS" >>"$BUILDERS_LOG"; exit 0 ;; esac
shift
while [ $# -gt 0 ]; do
  case $1 in -o) shift ;; -v) ;; *) printf '%s|' "$1" >>"$BUILDERS_LOG" ;; esac
  shift
done
echo "CGO_ENABLED=$CGO_ENABLED" >>"$BUILDERS_LOG"
`

// TestBuildersAgree runs what builds a binary with a go command that only takes notes: the image, the
// action of CI, goreleaser and the release compile as make build does.
func TestBuildersAgree(t *testing.T) {
	t.Parallel()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	release := filepath.Join(t.TempDir(), "release")
	c := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", release, "./tools/release")
	c.Dir = root
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	want := noted(t, root, nil, "make", "build", "VERSION=1")
	if len(want) != 2 || !strings.HasPrefix(want[0], "engine") || !strings.Contains(want[1], "packed,stoa_engine") {
		t.Fatalf("make build compiles %q", want)
	}
	for _, builder := range builders(t, root, release) {
		t.Run(builder.name, func(t *testing.T) {
			t.Parallel()
			got := noted(t, root, builder.environment, builder.command...)
			if builder.name == "goreleaser stoa-plain" {
				got = append([]string{want[0]}, got...)
				got[1] = strings.Replace(got[1], "-tags=packed|", "-tags=packed,stoa_engine|", 1)
			}
			if !slices.Equal(got, want) {
				t.Errorf("it compiles\n%s\nand make build\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

type builder struct {
	name                 string
	environment, command []string
}

func builders(t *testing.T, root, release string) []builder {
	t.Helper()
	runs := regexp.MustCompile(`\nRUN (tools/binary\.sh [^\\&]*)`).FindStringSubmatch(read(t, root, "packaging/Dockerfile"))
	if runs == nil {
		t.Fatal("the Dockerfile does not call tools/binary.sh")
	}
	temp := t.TempDir()
	list := []builder{
		{"Dockerfile", []string{"VERSION=1"}, []string{"sh", "-c", strings.ReplaceAll(runs[1], "/out/", temp+"/")}},
		{"setup-stoa", []string{"RUNNER_TEMP=" + temp, "STOA_ACTION_SOURCE=" + root}, []string{
			"sh", filepath.Join(root, "packaging", "setup-stoa", "start.sh"),
		}},
		{"release", nil, []string{release, "-version", "1", "-targets", "linux/amd64", "-out", temp}},
	}
	var goreleaser struct {
		Builds []struct {
			ID      string   `yaml:"id"`
			Main    string   `yaml:"main"`
			Tool    string   `yaml:"tool"`
			Command string   `yaml:"command"`
			Flags   []string `yaml:"flags"`
		} `yaml:"builds"`
	}
	decode(t, root, ".goreleaser.yaml", &goreleaser)
	for _, b := range goreleaser.Builds {
		// As goreleaser makes the command line; its own linker flags stand where none are given.
		command := append([]string{b.Tool, b.Command}, b.Flags...)
		command = append(command, "-ldflags=-s -w", "-o", filepath.Join(temp, b.ID), b.Main)
		list = append(list, builder{"goreleaser " + b.ID, nil, command})
	}
	return list
}

// noted runs a command in the root and returns what it would have compiled. Most fail afterwards,
// because the file that they were to make is not there.
func noted(t *testing.T, root string, environment []string, command ...string) []string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(recordingGo), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	log := filepath.Join(dir, "log")
	c := exec.CommandContext(t.Context(), command[0], command[1:]...)
	c.Dir = root
	c.Env = append(os.Environ(), "PATH="+dir+":/usr/bin:/bin", "BUILDERS_LOG="+log, "GOFLAGS=", "GOOS=", "CGO_ENABLED=")
	c.Env = append(c.Env, environment...)
	out, failed := c.CombinedOutput()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatalf("%v compiles nothing: %v\n%s", command, failed, out)
	}
	version := regexp.MustCompile(`main\.version=[^|]*`).ReplaceAllString(string(text), "main.version=1")
	return strings.Split(strings.TrimSpace(regexp.MustCompile(`engine \w+`).ReplaceAllString(version, "engine ")), "\n")
}

// TestOldShellsBuild: macOS has bash 3.2, which the scripts that build a binary must not be too new for.
func TestOldShellsBuild(t *testing.T) {
	t.Parallel()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	newer := regexp.MustCompile(`\b(mapfile|readarray|coproc|EPOCHSECONDS|EPOCHREALTIME)\b|declare -[a-z]*[An]|wait -n|\$\{\w+[,^@]`)
	for _, name := range []string{"binary.sh", "build.sh", "compile-flags.sh", "flags.sh"} {
		if found := newer.FindString(read(t, root, "tools/"+name)); found != "" {
			t.Errorf("tools/%s uses %q, which bash 3.2 does not know", name, found)
		}
	}
}

// TestOneScriptBuilds finds another go build of the program.
func TestOneScriptBuilds(t *testing.T) {
	t.Parallel()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	own := regexp.MustCompile(`go (build|install)\b.*cmd/stoa\b|"build"`)
	seen := 0
	for _, folder := range []string{"Makefile", "cmd", "examples", "kit", "packaging", "tools"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.Name() == "node_modules" || d.Name() == ".cache":
				return fs.SkipDir
			case !d.Type().IsRegular() || filepath.Ext(path) == ".md" || d.Name() == "binary.sh":
				return nil
			}
			text, err := os.ReadFile(path)
			seen++
			if strings.Contains(string(text), "cmd/stoa") && own.Match(text) {
				t.Errorf("%s compiles the program itself; tools/binary.sh does it with the flags of a release", path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if seen < 50 {
		t.Errorf("%d files were read", seen)
	}
}
