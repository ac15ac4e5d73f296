package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/test/bench/drive"
)

// packagesRows: B with a million made-up versions in its store. The first row
// loads them and the others serve them, from the same data folder.
func packagesRows() []row {
	return []row{
		{name: "B: import of a dump, per version", run: (*bench).packagesImport, atMost: 200, unit: "µs"},
		{name: "B: GET version, 16 clients", run: (*bench).packagesGet, atLeast: 0.45},
		{name: "B: batch of 5000, warm, all pages", run: (*bench).packagesBatch, atMost: 150, unit: "ms"},
		{name: "B: query by hash, p99, 4 clients", run: (*bench).packagesQuery, atMost: 10, unit: "ms"},
		{name: "B: resident memory after all that", run: (*bench).packagesMemory, atMost: 250, unit: "MB"},
	}
}

// versionsEach is how many versions a made-up package has.
const versionsEach = 10

// packagesVersions is how many versions are loaded: a million, or what
// STOA_BENCH_VERSIONS says.
func packagesVersions() int {
	if n, err := strconv.Atoi(os.Getenv("STOA_BENCH_VERSIONS")); err == nil && n >= versionsEach {
		return n
	}
	return 1_000_000
}

func madeUpName(i int) string { return fmt.Sprintf("made-up-package-%d", i) }

func madeUpDigest(i, j int) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d", i, j))
	return sum[:]
}

// madeUp is a package of the size real ones have.
func madeUp(i int) catalog.Package {
	p := catalog.Package{Key: catalog.PackageKey{System: catalog.NPM, Name: madeUpName(i)}}
	for j := range versionsEach {
		version := fmt.Sprintf("1.%d.0", j)
		p.Versions = append(p.Versions, catalog.Version{
			Key: p.Key.At(version), Published: time.Date(2020, 1, 1+j, 0, 0, i, 0, time.UTC), Complete: true,
			Licenses: []catalog.License{{Written: "MIT", SPDX: "MIT"}},
			Links: []catalog.Link{
				{Label: "SOURCE_REPO", URL: "https://github.com/made/up"},
				{Label: "HOMEPAGE", URL: "https://example.com/" + p.Key.Name},
			},
			Registries: []string{"https://registry.example/"},
			Related: []catalog.Relation{
				{Project: fmt.Sprintf("github.com/made/up%d", i), Provenance: catalog.FromMetadata, Type: catalog.SourceRepo},
			},
			Upstream: []catalog.Upstream{{Name: p.Key.Name, Version: version, Source: "NPM_REGISTRY"}},
			Artifacts: []catalog.Artifact{
				{URL: "https://registry.example/" + p.Key.Name + "/-/" + version + ".tgz", Hashes: []catalog.Hash{
					{Type: catalog.SHA256, Digest: madeUpDigest(i, j)},
				}},
			},
			Requires: &catalog.Requirements{NPM: &catalog.NPMRequirements{Dependencies: catalog.NPMDependencies{
				Dependencies: []catalog.Requirement{{Name: "a", Requirement: "^1.0.0"}, {Name: "b", Requirement: "~2.1.0"}},
			}}},
		})
	}
	return p
}

func (b *bench) packagesImport(ctx context.Context) ([]result, error) {
	dump := filepath.Join(b.dir, "dump.jsonl")
	if err := writeMadeUp(dump); err != nil {
		return nil, err
	}
	defer os.Remove(dump)
	o, err := b.startPackages(ctx)
	if err != nil {
		return nil, err
	}
	defer o.close()
	start := time.Now()
	if _, err := o.admin.Run(ctx, "packages import", map[string][]string{"file": {dump}}, nil); err != nil {
		return nil, err
	}
	each := time.Since(start) / time.Duration(packagesVersions())
	return []result{{value: float64(each.Nanoseconds()) / 1000, judged: true}}, nil
}

func (b *bench) startPackages(ctx context.Context) (*ours, error) {
	return b.startOurs(ctx, b.folder("packages"))
}

func writeMadeUp(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	out := json.NewEncoder(w)
	n := packagesVersions() / versionsEach
	fmt.Fprintf(w, `{"format":"stoa packages","version":1,"packages":%d}`+"\n", n)
	for i := range n {
		if err := out.Encode(madeUp(i)); err != nil {
			return err
		}
	}
	return w.Flush()
}

// roaming asks for another version each time, so that no cache holds them all.
type roaming struct {
	host string
	rand *rand.Rand
}

func (r *roaming) Next() []byte {
	path := versionPath(r.rand.IntN(packagesVersions()/versionsEach), r.rand.IntN(versionsEach))
	return drive.Request("GET", path, r.host, "", "")
}

func (r *roaming) Seen([]byte) error { return nil }

func versionPath(i, j int) string {
	return fmt.Sprintf("/v3/systems/npm/packages/%s/versions/1.%d.0", madeUpName(i), j)
}

func (b *bench) packagesGet(ctx context.Context) ([]result, error) {
	o, err := b.startPackages(ctx)
	if err != nil {
		return nil, err
	}
	defer o.close()
	body, err := o.get(ctx, versionPath(1, 1), "")
	if err != nil {
		return nil, err
	}
	bare, stop, err := startBare(ctx, body)
	if err != nil {
		return nil, err
	}
	defer stop()
	against := func(address string, random bool) drive.Load {
		return b.load(address, 16, func(i int) drive.Source {
			if random {
				return &roaming{host: address, rand: rand.New(rand.NewPCG(1, uint64(i)))}
			}
			return drive.Constant(drive.Request("GET", versionPath(1, 1), address, "", ""))
		})
	}
	hot, err := compare(ctx, b.rounds, against(bare, false), against(o.address(), false))
	if err != nil {
		return nil, err
	}
	cold, err := compare(ctx, b.rounds, against(bare, true), against(o.address(), true))
	if err != nil {
		return nil, err
	}
	first, second := ratioResult(hot), ratioResult(cold)
	first.label, second.label, second.judged = "the same one", "any of all", false
	return []result{first, second}, nil
}

// batchOf asks for 5000 versions and follows the tokens to the end.
func batchOf(ctx context.Context, address string, body map[string]any) (int, error) {
	found := 0
	for {
		text, err := json.Marshal(body)
		if err != nil {
			return found, err
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/v3alpha/versionbatch", bytes.NewReader(text))
		if err != nil {
			return found, err
		}
		r.Header.Set("Content-Type", "application/json")
		// The generator shares the cores with the server; it would spend more
		// on unpacking than the server on packing.
		r.Header.Set("Accept-Encoding", "identity")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return found, err
		}
		answer, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK {
			return found, fmt.Errorf("batch: %s %.200s %w", response.Status, answer, err)
		}
		found += bytes.Count(answer, []byte(`"isDefault"`))
		token := answer[bytes.LastIndex(answer, []byte(`"nextPageToken":"`))+17 : len(answer)-2]
		if len(token) == 0 {
			return found, nil
		}
		body["pageToken"] = string(token)
	}
}

func (b *bench) packagesBatch(ctx context.Context) ([]result, error) {
	o, err := b.startPackages(ctx)
	if err != nil {
		return nil, err
	}
	defer o.close()
	var requests []any
	for i := range 5000 {
		requests = append(requests, map[string]any{"versionKey": map[string]string{
			"system": "NPM", "name": madeUpName(i / versionsEach), "version": fmt.Sprintf("1.%d.0", i%versionsEach),
		}})
	}
	var times []time.Duration
	for range b.rounds + 1 {
		start := time.Now()
		found, err := batchOf(ctx, o.URL, map[string]any{"requests": requests})
		if err != nil {
			return nil, err
		}
		if found != len(requests) {
			return nil, fmt.Errorf("the batch found %d of %d", found, len(requests))
		}
		times = append(times, time.Since(start))
	}
	warm := times[1:]
	slices.Sort(warm)
	return []result{{value: float64(warm[len(warm)/2].Microseconds()) / 1000, judged: true}}, nil
}

// hashes asks for the version of another digest each time.
type hashes struct{ roaming }

func (h *hashes) Next() []byte {
	raw := madeUpDigest(h.rand.IntN(packagesVersions()/versionsEach), h.rand.IntN(versionsEach))
	query := url.Values{"hash.type": {"SHA256"}, "hash.value": {base64.StdEncoding.EncodeToString(raw)}}
	return drive.Request("GET", "/v3alpha/query?"+query.Encode(), h.host, "", "")
}

func (b *bench) packagesQuery(ctx context.Context) ([]result, error) {
	o, err := b.startPackages(ctx)
	if err != nil {
		return nil, err
	}
	defer o.close()
	s, err := repeat(ctx, b.rounds, b.load(o.address(), 4, func(i int) drive.Source {
		return &hashes{roaming{host: o.address(), rand: rand.New(rand.NewPCG(2, uint64(i)))}}
	}))
	if err != nil {
		return nil, err
	}
	return []result{{value: float64(s.P99.Microseconds()) / 1000, rate: s.Rate, p50: s.P50, p99: s.P99, judged: true}}, nil
}

func (b *bench) packagesMemory(ctx context.Context) ([]result, error) {
	o, err := b.startPackages(ctx)
	if err != nil {
		return nil, err
	}
	defer o.close()
	l := b.load(o.address(), 16, func(i int) drive.Source {
		return &roaming{host: o.address(), rand: rand.New(rand.NewPCG(3, uint64(i)))}
	})
	if _, err := repeat(ctx, b.rounds, l); err != nil {
		return nil, err
	}
	size, err := drive.Resident(o.PID())
	if err != nil {
		return nil, err
	}
	return []result{{value: size, judged: true}}, nil
}
