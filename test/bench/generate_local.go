package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/engine"
	"stoa.dev/stoa/engine/llama"
	"stoa.dev/stoa/engine/weights"
	"stoa.dev/stoa/test/program"
)

const (
	localTokens = 160
	localQuery  = "Tell a long story about a lighthouse keeper and the sea."
)

// generateLocal runs the engine in this process and through the API, in turns.
// It needs the small model and leaves the row out where no registry has it.
func (b *bench) generateLocal(ctx context.Context) ([]result, error) {
	root, err := program.Root()
	if err != nil {
		return nil, err
	}
	beside := filepath.Join(filepath.Dir(b.binary), "stoa-engine")
	build := exec.CommandContext(ctx, "go", "build", "-o", beside, "./cmd/stoa-engine")
	build.Dir = filepath.Join(root, "engine")
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the engine program: %w\n%s", err, out)
	}
	o, key, err := b.startGenerate(ctx, "generate-local", "")
	if err != nil {
		return nil, err
	}
	defer o.close()
	if _, err := o.admin.Run(ctx, "models pull", map[string][]string{"name": {"smollm2"}}, nil); err != nil {
		return nil, nil // no registry has the model
	}
	model, err := openModel(b.folder("generate-local"))
	if err != nil {
		return nil, err
	}
	var alone, api []float64
	for range max(3, b.rounds) {
		one, err := decodeAlone(model)
		if err != nil {
			return nil, err
		}
		two, err := decodeThrough(ctx, o.URL+"/v1beta/models/smollm2-135m-instruct:streamGenerateContent?alt=sse&key="+key)
		if err != nil {
			return nil, err
		}
		alone, api = append(alone, one), append(api, two)
	}
	slices.Sort(alone)
	slices.Sort(api)
	m := len(alone) / 2
	return []result{{bareRate: alone[m], rate: api[m], ratio: api[m] / alone[m], judged: true}}, nil
}

func openModel(data string) (engine.Model, error) {
	folder := weights.Open(data)
	model, err := folder.Find("smollm2")
	if err != nil {
		return nil, err
	}
	libraries, err := folder.Libraries()
	if err != nil {
		return nil, err
	}
	file, err := folder.Weights(model)
	if err != nil {
		return nil, err
	}
	return llama.Open(engine.Load{
		Libraries: libraries, Weights: file, Threads: max(1, runtime.NumCPU()-1), Context: 4096, Slots: 2,
	})
}

// decodeAlone is tokens per second from the first to the last.
func decodeAlone(model engine.Model) (float64, error) {
	var first, last time.Time
	said := 0
	_, err := model.Generate(engine.Prompt{
		Messages:  []engine.Message{{Role: "user", Content: localQuery}},
		MaxTokens: localTokens, Temperature: 1, TopP: 0.95, TopK: 64, Seed: 7, Exact: true,
	}, func() bool { return false }, func(p engine.Piece) error {
		last = time.Now()
		if said = p.Done.Answer; first.IsZero() {
			first = last
		}
		return nil
	})
	if err == nil && said < localTokens/4 {
		err = fmt.Errorf("generate: the engine said %d tokens", said)
	}
	return float64(said-1) / last.Sub(first).Seconds(), err
}

// decodeThrough asks the same of the API: the same seed gives the same tokens.
func decodeThrough(ctx context.Context, address string) (float64, error) {
	body := fmt.Sprintf(`{"contents":[{"parts":[{"text":%q}]}],"generationConfig":{"maxOutputTokens":%d,"temperature":1,"topP":0.95,"topK":64,"seed":7}}`, localQuery, localTokens)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("generate: %s", response.Status)
	}
	lines := bufio.NewScanner(response.Body)
	var first, last time.Time
	chunks := 0
	for lines.Scan() {
		if strings.Contains(lines.Text(), `"text":`) {
			chunks++
			last = time.Now()
			if first.IsZero() {
				first = last
			}
		}
	}
	if err := lines.Err(); err != nil || chunks < localTokens/4 {
		return 0, fmt.Errorf("generate: %d chunks came: %w", chunks, err)
	}
	return float64(chunks-1) / last.Sub(first).Seconds(), nil
}
