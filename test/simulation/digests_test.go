package simulation_test

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "record what the scripts come to")

const digestFile = "testdata/scripts.tsv"

// blockLines is how many answers have a digest together, so that a difference has a place.
const blockLines = 500

// digests are those of recorded scripts: seed, calls and number of the block, and the digest.
type digests map[string]string

func readDigests(t *testing.T) digests {
	t.Helper()
	text, err := os.ReadFile(digestFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	d := digests{}
	for line := range strings.Lines(string(text)) {
		if key, digest, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(line, "#") {
			d[key] = digest
		}
	}
	return d
}

// check holds a script against what was recorded of it, where something was.
func (d digests) check(t *testing.T, seed uint64, calls int, transcript string) {
	t.Helper()
	lines := strings.SplitAfter(transcript, "\n")
	for n, block := range slices.Collect(slices.Chunk(lines, blockLines)) {
		sum := sha256.Sum256([]byte(strings.Join(block, "")))
		key, got := fmt.Sprintf("seed %d, %d calls, block %d", seed, calls, n), hex.EncodeToString(sum[:])
		if *update {
			d[key] = got
			continue
		}
		if want, ok := d[key]; ok && got != want {
			t.Errorf("%s, answers %d to %d: other bytes than were recorded in %s. Either answers were changed since: "+
				"look at them, and record with go test ./test/simulation -run TestScripts -args -update "+
				"(with the same -scripts and -script-calls). Or this machine gives other answers than the one that "+
				"recorded, which is a defect", key, n*blockLines+1, n*blockLines+len(block), digestFile)
			return // what follows from a difference differs too
		}
	}
}

func (d digests) write(t *testing.T) {
	t.Helper()
	if !*update {
		return
	}
	var rows []string
	for key, digest := range d {
		rows = append(rows, key+"="+digest+"\n")
	}
	slices.Sort(rows)
	text := "# What the scripts of TestScripts come to; written by it with -update.\n" + strings.Join(rows, "")
	if err := os.WriteFile(digestFile, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
