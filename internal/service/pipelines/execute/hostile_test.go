package execute_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/sandbox"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

// TestLinksOfARevision names a working folder behind a link that the revision
// brings: nothing is made where it leads on the host.
func TestLinksOfARevision(t *testing.T) {
	t.Parallel()
	h := newFixture(t, nil)
	outside := t.TempDir()
	h.links = map[string]string{"absolute": outside, "upward": "../../../" + filepath.Base(outside), "within": "."}
	for name, want := range map[string]execute.Outcome{"absolute": execute.Failed, "upward": execute.Failed,
		"within": execute.Success} {
		c := h.run(execute.Task{Job: job(t, "      - checkout: {path: ~/project}\n      - run: pwd\n",
			"    working_directory: ~/project/"+name+"/made\n")})
		if c.Outcome != want {
			t.Errorf("%s: %s %v, want %s; said %q", name, c.Outcome, c.Err, want, c.text(1))
		}
		if strings.Contains(c.text(1), outside) {
			t.Errorf("%s: the job ran in %q", name, c.text(1))
		}
	}
	if made, err := os.ReadDir(outside); err != nil || len(made) != 0 {
		t.Errorf("outside holds %v, %v; want nothing", made, err)
	}
}

// TestOwnWordsAreMasked makes the engine repeat a secret in its log lines and in
// the reasons of steps.
func TestOwnWordsAreMasked(t *testing.T) {
	t.Parallel()
	h := newFixture(t, nil)
	const secret = "s3cr3t-value"
	c := h.run(execute.Task{
		Environment: map[string]string{"TOKEN": secret}, Secrets: []string{secret},
		Job: job(t, `      - restore_cache: {keys: ['k-{{ .Environment.TOKEN }}']}
      - run: mkdir out; mkfifo out/$TOKEN
      - store_artifacts: {path: out}
      - restore_cache: {keys: ["{{ .Environment.TOKEN }}\n"]}
`, ""),
	})
	if c.Outcome != execute.Failed {
		t.Errorf("%s %v, want failed", c.Outcome, c.Err)
	}
	for step, want := range map[int]string{0: "k-****", 2: "out/****"} {
		if text := c.text(step); !strings.Contains(text, want) || strings.Contains(text, secret) {
			t.Errorf("step %d said %q, want %s", step, text, want)
		}
	}
	if r := c.ended[3].Reason; !strings.Contains(r, "****") || strings.Contains(r, secret) {
		t.Errorf("the reason is %q, want **** in it", r)
	}
}

// TestArtifactsGrow stores files that grow on their way: with holes, and with
// many names.
func TestArtifactsGrow(t *testing.T) {
	t.Parallel()
	h := newFixture(t, func(_ *sandbox.Config, l *execute.Limits) { l.Disk = 8 << 20 })
	c := h.run(execute.Task{Job: job(t, `      - run: mkdir a; truncate -s 3M a/s; ln a/s a/t; ln a/s a/u
      - store_artifacts: {path: a}
`, "")})
	if c.Outcome != execute.Failed || !strings.Contains(c.ended[1].Reason,
		"artifacts of a job have more than 8 MiB") || len(h.artifacts) != 2 {
		t.Errorf("%s %v: %q with %d artifacts; want the third refused", c.Outcome, c.Err, c.ended[1].Reason,
			len(h.artifacts))
	}
}

// TestArtifactNames leaves out what no database holds, says so and goes on.
func TestArtifactNames(t *testing.T) {
	t.Parallel()
	h := newFixture(t, nil)
	c := h.run(execute.Task{Job: job(t, `      - run: mkdir a; touch a/$(printf '\377') "a/$(printf 'x\ny')" "a/$(printf '\033[1m')" a/é
      - store_artifacts: {path: a}
`, "")})
	if _, kept := h.artifacts["a/é"]; c.Outcome != execute.Success || len(h.artifacts) != 1 || !kept {
		t.Errorf("%s %v, artifacts %q; want a/é alone", c.Outcome, c.Err, h.artifacts)
	}
	for _, want := range []string{`"a/\xff"`, `"a/x\ny"`, `"a/\x1b[1m"`, "Files uploaded: 1."} {
		if !strings.Contains(c.text(1), want) {
			t.Errorf("said %q, want %s", c.text(1), want)
		}
	}
}

// TestLayersTogether attaches layers that are larger together than one may be,
// and saves no more than the disk of a job holds.
func TestLayersTogether(t *testing.T) {
	t.Parallel()
	h := newFixture(t, func(_ *sandbox.Config, l *execute.Limits) { l.Cache, l.Disk = 2<<20, 16<<20 })
	save := `      - run: mkdir w; head -c 1500000 /dev/urandom > w/NAME
      - persist_to_workspace: {root: w, paths: [NAME]}
`
	for _, name := range []string{"one", "two"} {
		if c := h.run(execute.Task{Job: job(t, strings.ReplaceAll(save, "NAME", name),
			"")}); c.Outcome != execute.Success {
			t.Fatalf("saving %s: %s %v %+v", name, c.Outcome, c.Err, c.ended)
		}
	}
	c := h.run(execute.Task{Job: job(t, "      - attach_workspace: {at: .}\n      - run: cat one two | wc -c\n", "")})
	if c.Outcome != execute.Success || c.text(1) != "3000000\n" {
		t.Errorf("%s %v %+v: %q, want both layers", c.Outcome, c.Err, c.ended, c.text(1))
	}
	steps := "      - run: head -c 1500000 /dev/urandom > f\n"
	for i := range 12 {
		steps += fmt.Sprintf("      - save_cache: {key: k%d, paths: [f]}\n", i)
	}
	c = h.run(execute.Task{Job: job(t, steps, "")})
	if c.Outcome != execute.Failed || h.saves != 11 {
		t.Errorf("%s %v after %d caches, want failed after 11", c.Outcome, c.Err, h.saves)
	}
}

// TestRevisionTooLarge fails the job, whose doing it is, in words.
func TestRevisionTooLarge(t *testing.T) {
	t.Parallel()
	h := newFixture(t, nil)
	h.refuse = &forge.Error{Code: forge.CodeTooLarge, Message: "the revision has more than 1 MiB"}
	for name, steps := range map[string]string{"first": "      - checkout\n",
		"later": "      - run: 'true'\n      - checkout\n"} {
		c := h.run(execute.Task{Job: job(t, steps, "")})
		last := c.ended[strings.Count(steps, "\n")-1]
		if c.Outcome != execute.Failed || !strings.Contains(last.Reason, "more than 1 MiB") {
			t.Errorf("%s: %s %v, reason %q; want failed with the reason", name, c.Outcome, c.Err, last.Reason)
		}
	}
}
