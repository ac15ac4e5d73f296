package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"stoa.dev/stoa/test/program"
)

func main() {
	write := flag.String("write", "", "write the table to this `file`")
	seeds := flag.Int("seeds", 25, "how many seeds a defect may take")
	only := flag.String("only", "", "try the defect with this `id`")
	flag.Parse()
	if err := run(*write, *seeds, *only); err != nil {
		fmt.Fprintln(os.Stderr, "defects:", err)
		os.Exit(1)
	}
}

// finding is what became of one defect.
type finding struct {
	defect
	found bool
	by    string // the promise that broke, or how the run ended
}

func run(write string, seeds int, only string) error {
	root, err := program.Root()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "stoa-defects-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	binary, err := build(root, work, defects())
	if err != nil {
		return err
	}
	control := try(root, binary, defect{id: "none", what: "nothing"}, seeds)
	if control.found {
		return fmt.Errorf("without a defect a promise breaks: %s", control.by)
	}
	var all []finding
	found := 0
	for _, d := range defects() {
		if only != "" && d.id != only {
			continue
		}
		f := try(root, binary, d, seeds)
		fmt.Printf("%-11s %-5v %s\n", d.id, f.found, f.by)
		if all = append(all, f); f.found {
			found++
		}
	}
	fmt.Printf("%d of %d found\n", found, len(all))
	if write == "" || only != "" {
		return nil
	}
	return os.WriteFile(write, []byte(page(all, found, seeds)), 0o644)
}

// build compiles the simulation with every defect in it, each behind its switch.
func build(root, work string, all []defect) (string, error) {
	sources, replaced := map[string]string{}, map[string]string{}
	for _, d := range all {
		path := filepath.Join(root, d.file)
		if sources[path] == "" {
			text, err := os.ReadFile(path)
			if err != nil {
				return "", err
			}
			sources[path] = string(text)
		}
		if strings.Count(sources[path], d.old) != 1 {
			return "", fmt.Errorf("%s: %s has not exactly one place for it", d.id, d.file)
		}
		planted := strings.ReplaceAll(d.new, "PLANTED", fmt.Sprintf("plantedDefect(%q)", d.id))
		// What another defect of the same place looks for stays where it is.
		sources[path] = strings.Replace(sources[path], d.old, planted, 1)
	}
	for path, text := range sources {
		name := filepath.Join(work, strings.ReplaceAll(strings.TrimPrefix(path, root), "/", "_"))
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return "", err
		}
		replaced[path] = name
		extra := filepath.Join(filepath.Dir(path), "planted_defect.go")
		switchFile := filepath.Join(work, strings.ReplaceAll(strings.TrimPrefix(extra, root), "/", "_"))
		if err := os.WriteFile(switchFile, []byte(switchSource(text)), 0o600); err != nil {
			return "", err
		}
		replaced[extra] = switchFile
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(work, "overlay.json"), overlay, 0o600); err != nil {
		return "", err
	}
	binary := filepath.Join(work, "simulation.test")
	cmd := exec.Command("go", "test", "-c", "-overlay", filepath.Join(work, "overlay.json"), "-o", binary,
		"./test/simulation")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return binary, nil
}

// switchSource is the file that every changed package gets.
func switchSource(source string) string {
	name := regexp.MustCompile(`(?m)^package (\w+)`).FindStringSubmatch(source)[1]
	return "package " + name + "\n\nimport \"os\"\n\n" +
		"func plantedDefect(id string) bool { return os.Getenv(\"STOA_PLANTED\") == id }\n"
}

var promise = regexp.MustCompile(`(P\d+): .*`)

// try runs seeds with one defect.
func try(root, binary string, d defect, seeds int) finding {
	cmd := exec.Command(binary, "-test.run=TestSeeds", "-test.timeout=5m", fmt.Sprintf("-seeds=%d", seeds))
	cmd.Dir, cmd.Env = filepath.Join(root, "test", "simulation"), append(os.Environ(), "STOA_PLANTED="+d.id)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	f := finding{defect: d, found: errors.As(err, &exit)}
	switch m := promise.FindSubmatch(out); {
	case m != nil:
		f.by = string(m[0])
	case f.found:
		_, f.by, _ = strings.Cut(string(out), "%: ") // behind the options
		f.by = "the run ends: " + f.by
	default:
		f.by = fmt.Sprintf("nothing in %d seeds", seeds)
	}
	f.by = strings.Join(strings.Fields(f.by), " ")
	f.by = f.by[:min(len(f.by), 120)]
	return f
}

func page(all []finding, found, seeds int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Planted defects

Written by `+"`make defects`"+`; do not edit. This belongs to [Reliability](reliability.md).

The simulation found %d of %d defects that were planted one at a time, each with at most %d seeds. Without a defect it found nothing.

| defect | what was planted | found | by |
|---|---|---|---|
`, found, len(all), seeds)
	for _, f := range all {
		yes := "no"
		if f.found {
			yes = "yes"
		}
		fmt.Fprintf(&b, "| %s | %s, in `%s` | %s | %s |\n", f.id, f.what, f.file, yes, strings.ReplaceAll(f.by, "|", `\|`))
	}
	return b.String()
}
