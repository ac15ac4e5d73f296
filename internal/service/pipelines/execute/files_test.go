package execute_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/sandbox"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

func TestCaches(t *testing.T) {
	t.Parallel()
	h := newFixture(t, nil)
	h.files["go.sum"] = "sums\n"
	task := execute.Task{Branch: "main", Revision: "r1", BuildNum: 7, Environment: map[string]string{"V": "v1"}}
	task.Job = job(t, `      - checkout
      - restore_cache: {keys: ['{{ .Environment.V }}-{{ .Branch }}-{{ checksum "go.sum" }}', 'v1-']}
      - run: mkdir -p ~/.cache/mod vendor /tmp/deep; echo a > ~/.cache/mod/a; chmod 755 ~/.cache/mod/a; ln -s a ~/.cache/mod/link; ln ~/.cache/mod/a ~/.cache/mod/hard; echo v > vendor/v; echo d > /tmp/deep/d; mkfifo vendor/pipe
      - save_cache: {key: '{{ .Environment.V }}-{{ .Branch }}-{{ checksum "go.sum" }}', paths: [~/.cache/mod, vendor, /tmp/deep, missing]}
      - save_cache: {key: 'v1-{{ .Revision }}-{{ .BuildNum }}-{{ arch }}', paths: [vendor]}
`, "")
	c := h.run(task)
	if c.Outcome != execute.Success {
		t.Fatalf("%s %v: %+v", c.Outcome, c.Err, c.ended)
	}
	const key = "v1-main-Jz3oaKSzwGtvR8Y5PsoPdN1SfXwhPKlKEGFsJD5VIt4="
	if got := strings.Join(h.order, " "); !strings.HasPrefix(got, "v1-main-") ||
		!strings.Contains(got, "= v1-r1-7-linux-") {
		t.Errorf("keys %q, want something like %s", got, key)
	}
	if want := "Not found: home/stoa/project/missing\n"; !strings.Contains(c.text(3), want) {
		t.Errorf("saving said %q, want %q", c.text(3), want)
	}
	if !strings.Contains(c.text(1), "No cache was found") {
		t.Errorf("restoring said %q", c.text(1))
	}
	task.Job = job(t, `      - checkout
      - restore_cache: {keys: [nothing, 'v1-main']}
      - run: cat ~/.cache/mod/link vendor/v /tmp/deep/d; stat -c %a ~/.cache/mod/a; ls vendor; [ ~/.cache/mod/a -ef ~/.cache/mod/hard ] && echo same
      - save_cache: {key: v1-main-`+strings.TrimPrefix(h.order[0], "v1-main-")+`, paths: [vendor]}
`, "")
	c = h.run(task)
	if want := "a\nv\nd\n755\nv\nsame\n"; c.Outcome != execute.Success || c.text(2) != want {
		t.Errorf("%s; after restoring %q, want %q; %q", c.Outcome, c.text(2), want, c.text(1))
	}
	if h.saves != 2 || !strings.Contains(c.text(3), "exists already") {
		t.Errorf("%d caches were written, want 2; said %q", h.saves, c.text(3))
	}
	task.Job = job(t, `      - save_cache: {key: '{{ checksum "nothing" }}', paths: [a]}
      - run: {command: echo no}
`, "")
	if c = h.run(task); c.Outcome != execute.Failed || !strings.Contains(c.ended[0].Reason, `"nothing"`) {
		t.Errorf("%s %+v, want failed with a reason", c.Outcome, c.ended)
	}
	task.Job = job(t, "      - restore_cache: {key: '{{ .Nonsense }}'}\n", "")
	if c = h.run(task); c.Outcome != execute.Failed || !strings.Contains(c.ended[0].Reason, "known are .Branch") {
		t.Errorf("%s %+v, want failed with the words that are known", c.Outcome, c.ended)
	}
}

func TestWorkspace(t *testing.T) {
	t.Parallel()
	h := newFixture(t, nil)
	for _, name := range []string{"one", "two"} {
		c := h.run(execute.Task{Job: job(t, fmt.Sprintf(`      - run: mkdir -p out/bin; echo %[1]s > out/bin/%[1]s; echo %[1]s > out/last; echo no > out/other
      - persist_to_workspace: {root: out, paths: [bin/*, last]}
`, name), "")})
		if c.Outcome != execute.Success {
			t.Fatalf("%s: %s %v %+v", name, c.Outcome, c.Err, c.ended)
		}
	}
	c := h.run(execute.Task{Job: job(t, "      - attach_workspace: {at: /tmp/w}\n      - run: cd /tmp/w; find . "+
		"-type f | sort; cat last\n", "")})
	if want := "./bin/one\n./bin/two\n./last\ntwo\n"; c.text(1) != want {
		t.Errorf("attached %q, want %q (%s %v)", c.text(1), want, c.Outcome, c.ended)
	}
	c = h.run(execute.Task{Job: job(t, "      - run: mkdir out\n      - persist_to_workspace: {root: out, paths: "+
		"['*.none']}\n", "")})
	if c.Outcome != execute.Failed || len(h.layers) != 2 {
		t.Errorf("nothing to persist: %s, %d layers", c.Outcome, len(h.layers))
	}
}

// TestHostileArchives attaches layers that no tar of ours would write.
func TestHostileArchives(t *testing.T) {
	t.Parallel()
	for name, headers := range map[string][]tar.Header{
		"absolute":      {{Name: "/etc/evil", Typeflag: tar.TypeReg}},
		"upward":        {{Name: "../../evil", Typeflag: tar.TypeReg}},
		"upward inside": {{Name: "a/../../evil", Typeflag: tar.TypeReg}},
		"behind a link": {{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "/tmp"},
			{Name: "l/evil", Typeflag: tar.TypeReg}},
		"hard link upward": {{Name: "h", Typeflag: tar.TypeLink, Linkname: "../../etc/passwd"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t, nil)
			var b bytes.Buffer
			w := tar.NewWriter(&b)
			for _, header := range headers {
				header.Mode = 0o644
				if err := w.WriteHeader(&header); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			h.layers = [][]byte{b.Bytes()}
			c := h.run(execute.Task{Job: job(t,
				"      - attach_workspace: {at: w}\n      - run: {command: 'find / -name evil 2>/dev/null', when: "+
					"always}\n", "")})
			if c.Outcome != execute.Failed || c.text(1) != "" {
				t.Errorf("%s, found %q; want failed and nothing (%+v)", c.Outcome, c.text(1), c.ended)
			}
		})
	}
	h := newFixture(t, nil)
	h.layers = [][]byte{[]byte(strings.Repeat("not a tar", 1000))}
	if c := h.run(execute.Task{Job: job(t, "      - attach_workspace: {at: w}\n",
		"")}); c.Outcome != execute.Infrastructure {
		t.Errorf("a broken archive: %s, want infrastructure_fail", c.Outcome)
	}
}

func TestArtifacts(t *testing.T) {
	t.Parallel()
	h := newFixture(t, nil)
	c := h.run(execute.Task{Job: job(t, `      - run: |
          mkdir -p out/sub /tmp/logs; echo 1 > out/one; echo 2 > out/sub/two; echo 3 > /tmp/logs/three; ln out/one out/hard
          ln -s /etc/passwd out/link; mkfifo out/pipe; ln -s /etc out/etc; printf x > "out/new
          line"; echo r > result.txt; ln -s /usr everything
      - store_artifacts: {path: out}
      - store_artifacts: {path: out, destination: d/../../e}
      - store_artifacts: {path: /tmp/logs}
      - store_artifacts: {path: result.txt, destination: reports}
      - store_artifacts: {path: everything}
`, "")})
	want := map[string]string{
		"out/one": "1\n", "out/sub/two": "2\n", "out/hard": "1\n", "tmp/logs/three": "3\n", "reports/result.txt": "r\n",
		"e/one": "1\n", "e/sub/two": "2\n", "e/hard": "1\n",
	}
	if c.Outcome != execute.Success || !reflect.DeepEqual(h.artifacts, want) {
		t.Errorf("%s %v\ngot  %q\nwant %q", c.Outcome, c.Err, h.artifacts, want)
	}
	if !strings.Contains(c.text(1), `Left out, not a plain file: "/home/stoa/project/out/link"`) {
		t.Errorf("said %q, want the link named", c.text(1))
	}
}

func TestArtifactBounds(t *testing.T) {
	t.Parallel()
	h := newFixture(t, func(_ *sandbox.Config, l *execute.Limits) { l.Artifacts, l.Artifact, l.Cache = 3, 1000, 1<<20 })
	for name, steps := range map[string]string{
		"number": "      - run: mkdir o; touch o/1 o/2 o/3 o/4\n      - store_artifacts: {path: o}\n",
		"size":   "      - run: head -c 1001 /dev/zero > f\n      - store_artifacts: {path: f}\n",
		"cache":  "      - run: head -c 2000000 /dev/zero > f\n      - save_cache: {key: k, paths: [f]}\n",
	} {
		if c := h.run(execute.Task{Job: job(t, steps, "")}); c.Outcome != execute.Failed ||
			!strings.HasPrefix(c.ended[1].Reason, "a limit was passed: ") {
			t.Errorf("%s: %s %+v, want failed with a reason", name, c.Outcome, c.ended[1])
		}
	}
	if h.saves != 0 {
		t.Errorf("%d caches were kept", h.saves)
	}
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	h := newFixture(t, nil)
	c := h.run(execute.Task{Job: job(t, `      - run: |
          mkdir -p results/sub
          cat > results/a.xml <<EOF
          <?xml version="1.0"?>
          <testsuites><testsuite name="suite">
            <testcase name="good" classname="c" file="f.go" time="1.5"/>
            <testcase name="bad" time="x"><failure message="no">line 1 &lt;</failure><system-out>noise</system-out></testcase>
            <testcase name="worse"><error>boom</error></testcase>
            <testcase name="none"><skipped/></testcase>
          </testsuite></testsuites>
          EOF
          sed -i 's/^ *<?xml/<?xml/' results/a.xml
          printf '<!DOCTYPE x [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>' > results/bomb.xml
          printf '<testsuite><testcase name="cut"/>' > results/sub/cut.xml
          echo hello > results/readme.txt; ln -s /etc/passwd results/link.xml
      - store_test_results: {path: results}
`, "")})
	want := []execute.TestCase{
		{Name: "good", Class: "c", File: "f.go", Source: "a.xml", Result: "success", Seconds: 1.5},
		{Name: "bad", Class: "suite", Source: "a.xml", Result: "failure", Message: "no\nline 1 <"},
		{Name: "worse", Class: "suite", Source: "a.xml", Result: "error", Message: "boom"},
		{Name: "none", Class: "suite", Source: "a.xml", Result: "skipped"},
	}
	var got []execute.TestCase
	for _, tc := range h.cases {
		if tc.Name == "cut" {
			continue // kept from before the error
		}
		got = append(got, tc)
	}
	if c.Outcome != execute.Success || !reflect.DeepEqual(got, want) {
		t.Errorf("%s %v\ngot  %+v\nwant %+v\n%s", c.Outcome, c.Err, got, want, c.text(1))
	}
	if len(h.cases) != 5 || !strings.Contains(c.text(1), "bomb.xml") {
		t.Errorf("%d cases, said %q; want the bomb left out by name", len(h.cases), c.text(1))
	}
}
