package recipe_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/service/pipelines/recipe"
)

// minCorpus is how many files the corpus has at least: a glob that finds nothing
// would pass.
const minCorpus = 100

// TestCorpus reads every file below testdata/corpus and compares what it becomes
// with the .golden beside it. Lines "# at: …" of a file say what is planned.
func TestCorpus(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/corpus/*.yml")
	if err != nil || len(files) < minCorpus {
		t.Fatalf("%d files, %v, want at least %d", len(files), err, minCorpus)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yml")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			routetest.Golden(t, "corpus/"+name, []byte(planned(t, string(text))))
		})
	}
}

// planned is the plan of a file at each of its revisions, as text.
func planned(t *testing.T, text string) string {
	t.Helper()
	o := recipe.Options{Name: "pipeline.yml", Orbs: corpusOrb}
	f, err := o.Parse([]byte(text))
	if err != nil {
		return "refused: " + err.Error() + "\n"
	}
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		at, ok := strings.CutPrefix(line, "# at: ")
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "at %s\n", at)
		jobs, err := f.Plan(corpusRevision(t, at))
		if err != nil {
			fmt.Fprintf(&b, "  refused: %v\n", err)
		}
		if err == nil && len(jobs) == 0 {
			b.WriteString("  nothing to run\n")
		}
		for i := range jobs {
			writeJob(&b, &jobs[i])
		}
	}
	if b.Len() == 0 {
		t.Fatal("the file has no line # at:")
	}
	return b.String()
}

// corpusRevision reads a map such as {branch: main, parameters: {deep: true}}.
func corpusRevision(t *testing.T, text string) recipe.Revision {
	t.Helper()
	var in struct {
		Branch, Tag, Job, Schedule string
		Parameters                 map[string]any
	}
	if err := yaml.UnmarshalWithOptions([]byte(text), &in, yaml.Strict()); err != nil {
		t.Fatalf("# at: %s: %v", text, err)
	}
	return recipe.Revision{
		Branch: in.Branch, Tag: in.Tag, Only: in.Job, Schedule: in.Schedule, Parameters: in.Parameters,
		Values: map[string]any{
			"pipeline.id": "8f14e45f", "pipeline.number": int64(7), "pipeline.trigger_source": "push",
			"pipeline.project.git_url": "http://localhost/git/acme/shop", "pipeline.project.slug": "vcs_a/acme/shop",
			"pipeline.project.type": "vcs_a", "pipeline.git.revision": "c0ffee", "pipeline.git.base_revision": "beef",
			"pipeline.git.branch.is_default": in.Branch == "main", "pipeline.git.repo_owner": "acme",
			"pipeline.git.repo_name": "shop", "pipeline.git.commit.subject": "DEPLOY: now",
		},
	}
}

// corpusOrb finds the orbs of the corpus.
func corpusOrb(reference string) ([]byte, string, error) {
	name := strings.NewReplacer("/", "_", "@", "_").Replace(reference) + ".yml"
	text, err := os.ReadFile(filepath.Join("testdata", "orbs", filepath.Base(name)))
	if errors.Is(err, fs.ErrNotExist) {
		err = recipe.ErrNoOrb
	}
	return text, reference, err
}

func writeJob(b *strings.Builder, j *recipe.Job) {
	fmt.Fprintf(b, "  job %s", j.Name)
	if j.Base != j.Name {
		fmt.Fprintf(b, " (%s)", j.Base)
	}
	if j.Workflow != "" {
		fmt.Fprintf(b, " of %s", j.Workflow)
	}
	b.WriteString("\n")
	fact := func(name string, value any, given bool) {
		if given {
			fmt.Fprintf(b, "    %s: %v\n", name, value)
		}
	}
	fact("approval", true, j.Approval)
	fact("requires", j.Requires, len(j.Requires) > 0)
	fact("after", j.After, len(j.After) > 0)
	fact("parallelism", j.Parallelism, j.Parallelism != 1)
	for _, name := range slices.Sorted(maps.Keys(j.Environment)) {
		fmt.Fprintf(b, "    %s=%q\n", name, j.Environment[name])
	}
	fact("shell", j.Shell, j.Shell != "" && j.Shell != "/bin/bash -eo pipefail")
	fact("in", j.WorkingDirectory, j.WorkingDirectory != "" && j.WorkingDirectory != "~/project")
	fact("network", true, j.Network)
	fact("timeout", j.Timeout, j.Timeout != 0)
	fact("class", j.Class, j.Class != "")
	fact("contexts", j.Contexts, len(j.Contexts) > 0)
	fact("system", j.System, j.System != "")
	fact("serial", j.SerialGroup, j.SerialGroup != "")
	for _, note := range j.Notes {
		fmt.Fprintf(b, "    note %s\n", note)
	}
	for i := range j.Steps {
		writeStep(b, &j.Steps[i])
	}
}

func writeStep(b *strings.Builder, s *recipe.Step) {
	fmt.Fprintf(b, "    - %s", s.Kind)
	if s.When != recipe.OnSuccess {
		fmt.Fprintf(b, " %s", s.When)
	}
	switch {
	case s.Run != nil:
		fmt.Fprintf(b, " %q", s.Run.Command)
		if strings.TrimSuffix(s.Run.Command, "\n") != s.Name {
			fmt.Fprintf(b, " named %q", s.Name)
		}
		rest := *s.Run
		rest.Command = ""
		if fmt.Sprint(rest) != fmt.Sprint(recipe.RunStep{}) {
			fmt.Fprintf(b, " with %+v", rest)
		}
	case s.Checkout != nil:
		fmt.Fprintf(b, " %q", s.Checkout.Path)
	case s.Save != nil:
		fmt.Fprintf(b, " %q", *s.Save)
	case s.Restore != nil:
		fmt.Fprintf(b, " %q", s.Restore.Keys)
	case s.Artifacts != nil:
		fmt.Fprintf(b, " %q", *s.Artifacts)
	case s.Tests != nil:
		fmt.Fprintf(b, " %q", s.Tests.Path)
	case s.Persist != nil:
		fmt.Fprintf(b, " %q", *s.Persist)
	case s.Attach != nil:
		fmt.Fprintf(b, " %q", s.Attach.At)
	case s.Keys != nil:
		fmt.Fprintf(b, " %q", s.Keys.Fingerprints)
	}
	b.WriteString("\n")
}
