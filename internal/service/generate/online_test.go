//go:build online

package generate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/engine"
	"stoa.dev/stoa/engine/weights"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/generate"
)

// TestOnline pulls the small model from this machine's own registries and
// talks to it. It is not part of the ordinary tests: make test-online. What was
// said is kept in .cache/online.
func TestOnline(t *testing.T) {
	program := filepath.Join(t.TempDir(), "engine")
	build := exec.Command("go", "build", "-o", program, "./cmd/stoa-engine")
	build.Dir = filepath.Join("..", "..", "..", "engine")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the engine program: %v\n%s", err, out)
	}
	config := generate.DefaultConfig()
	config.Local.Engine = program
	h := identitytest.SQLite(t, func(w *world.World, identity *identity.Identity) module.Module {
		return generate.New(w, identity, config, os.Getenv).Module()
	})
	t.Cleanup(func() { _ = h.Module.Close() })
	c := newClient(t, h, "ada")
	pull(t, h, "smollm2")
	diary := &diary{t: t}
	t.Run("conversation", func(t *testing.T) { converse(t, c, diary) })
	t.Run("schema", func(t *testing.T) { holdToSchema(t, c, diary) })
	t.Run("functions", func(t *testing.T) { callFunction(t, c, diary) })
	t.Run("choices", func(t *testing.T) { chooseFunctions(t, c, diary) })
	t.Run("seed", func(t *testing.T) { repeatSeed(t, c, diary) })
	t.Run("embeddings", func(t *testing.T) { embedNear(t, c) })
	t.Run("engine", func(t *testing.T) { driveEngine(t, h.World.Dir, program, diary) })
	diary.keep()
}

func pull(t *testing.T, h *identitytest.Server, name string) {
	t.Helper()
	for _, c := range h.Module.Commands {
		if c.Path != "models pull" {
			continue
		}
		steps := 0
		in := &module.Input{Values: map[string][]string{"name": {name}}, Progress: func(module.Progress) { steps++ }}
		if _, err := c.Run(context.Background(), in); err != nil {
			t.Fatalf("models pull: %v", err)
		}
		if steps < 10 {
			t.Errorf("the progress moved %d times", steps)
		}
		return
	}
	t.Fatal("there is no command models pull")
}

// diary collects what was said.
type diary struct {
	t    *testing.T
	text strings.Builder
}

func (d *diary) note(title, said string) {
	d.t.Logf("%s: %s", title, said)
	fmt.Fprintf(&d.text, "## %s\n\n%s\n\n", title, said)
}

func (d *diary) keep() {
	dir := filepath.Join("..", "..", "..", ".cache", "online")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "generate.md"), []byte(d.text.String()), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

const small = "/v1beta/models/smollm2-135m-instruct:"

func spoken(answer map[string]any) string {
	said, _ := dig(answer, "candidates", 0, "content", "parts", 0, "text").(string)
	return said
}

// converse needs the model to know a capital and to remember the question. The
// id of another family must be answered by the model as well.
func converse(t *testing.T, c client, d *diary) {
	t.Helper()
	turn := func(role, text string) string {
		raw, _ := json.Marshal(map[string]any{"role": role, "parts": []any{map[string]string{"text": text}}})
		return string(raw)
	}
	const question = "What is the capital of France? Answer in one sentence."
	settings := `,"generationConfig":{"temperature":0,"maxOutputTokens":60}`
	first := spoken(c.want(200, "POST", small+"generateContent", `{"contents":[`+turn("user", question)+`]`+settings+`}`))
	d.note(question, first)
	if !strings.Contains(first, "Paris") {
		t.Errorf("the capital of France: %q", first)
	}
	const more = "And in which country is that city?"
	second := spoken(c.want(200, "POST", small+"generateContent", `{"contents":[`+turn("user", question)+","+turn("model", first)+","+turn("user", more)+`]`+settings+`}`))
	d.note(more, second)
	if !strings.Contains(second, "France") {
		t.Errorf("the country: %q", second)
	}
}

func holdToSchema(t *testing.T, c client, d *diary) {
	t.Helper()
	const schema = `{"type":"OBJECT","properties":{"title":{"type":"STRING","minLength":1,"maxLength":40},"year":{"type":"INTEGER","minimum":1900,"maximum":2030},
		"genre":{"type":"STRING","enum":["novel","poem"]},"tags":{"type":"ARRAY","items":{"type":"STRING","maxLength":15},"minItems":1,"maxItems":3}},"required":["title","year","genre","tags"]}`
	for seed := range 5 {
		answer := c.want(200, "POST", small+"generateContent", prompt("Invent a book.", fmt.Sprintf(
			`,"generationConfig":{"seed":%d,"maxOutputTokens":400,"responseMimeType":"application/json","responseSchema":%s}`, seed, schema)))
		said := spoken(answer)
		d.note("Invent a book (JSON)", said)
		var book struct {
			Title *string
			Year  int
			Genre string
			Tags  []string
		}
		decoder := json.NewDecoder(strings.NewReader(said))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&book); err != nil || book.Title == nil || *book.Title == "" || book.Year < 1900 ||
			book.Year > 2030 ||
			book.Genre != "novel" && book.Genre != "poem" || len(book.Tags) < 1 || len(book.Tags) > 3 {
			t.Errorf("seed %d: %s does not fit (%v)", seed, said, err)
		}
	}
}

func callFunction(t *testing.T, c client, d *diary) {
	t.Helper()
	const tools = `,"tools":[{"functionDeclarations":[{"name":"get_weather","description":"The weather of a city","parameters":{"type":"OBJECT",
		"properties":{"city":{"type":"STRING","minLength":1,"maxLength":40},"unit":{"type":"STRING","enum":["C","F"]}},"required":["city","unit"]}}]}],
		"toolConfig":{"functionCallingConfig":{"mode":"ANY"}},"generationConfig":{"temperature":0,"maxOutputTokens":100}`
	answer := c.want(200, "POST", small+"generateContent", prompt("How is the weather in Oslo?", tools))
	call, _ := dig(answer, "candidates", 0, "content", "parts", 0, "functionCall").(map[string]any)
	raw, _ := json.Marshal(call)
	d.note("How is the weather in Oslo? (function call)", string(raw))
	city, _ := dig(call, "args", "city").(string)
	unit, _ := dig(call, "args", "unit").(string)
	if call["name"] != "get_weather" || city == "" || unit != "C" && unit != "F" {
		t.Errorf("call: %s", raw)
	}
}

// choiceTools are declared for all questions of chooseFunctions.
const choiceTools = `,"tools":[{"functionDeclarations":[
	{"name":"get_weather","description":"Get the current weather in a city.","parameters":{"type":"OBJECT",
		"properties":{"city":{"type":"STRING","maxLength":40}},"required":["city"]}},
	{"name":"get_current_time","description":"Get the current time in a time zone.","parameters":{"type":"OBJECT",
		"properties":{"timezone":{"type":"STRING","maxLength":40}},"required":["timezone"]}},
	{"name":"add_numbers","description":"Add two numbers.","parameters":{"type":"OBJECT",
		"properties":{"a":{"type":"NUMBER"},"b":{"type":"NUMBER"}},"required":["a","b"]}},
	{"name":"search_products","description":"Search the product catalogue of the shop.","parameters":{"type":"OBJECT",
		"properties":{"query":{"type":"STRING","maxLength":60}},"required":["query"]}},
	{"name":"send_email","description":"Send an email to a recipient.","parameters":{"type":"OBJECT",
		"properties":{"to":{"type":"STRING","maxLength":60},"body":{"type":"STRING","maxLength":120}},"required":["to","body"]}}
	]}],"generationConfig":{"temperature":0,"maxOutputTokens":120}`

// chooseFunctions asks what obviously needs a function, and what needs none, in the
// mode AUTO.
func chooseFunctions(t *testing.T, c client, d *diary) {
	t.Helper()
	calls, err := os.ReadFile(filepath.Join("testdata", "choices", "calls.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	right, obvious, needless, plain := 0, 0, 0, 0
	for line := range strings.Lines(string(calls)) {
		want, question, _ := strings.Cut(strings.TrimSpace(line), "\t")
		answer := c.want(200, "POST", small+"generateContent", prompt(question, choiceTools))
		call, _ := dig(answer, "candidates", 0, "content", "parts", 0, "functionCall").(map[string]any)
		raw, _ := json.Marshal(call)
		d.note(question+" (AUTO, "+want+")", string(raw))
		switch {
		case want == "none" && call != nil:
			needless++
			fallthrough
		case want == "none":
			plain++
		case call["name"] == want:
			right++
			fallthrough
		default:
			obvious++
		}
	}
	t.Logf("%d of %d obvious calls, %d of %d plain questions called", right, obvious, needless, plain)
	if right < 8 || obvious != 9 || needless > 1 || plain != 20 {
		t.Error("want at least 8 of 9 and at most 1 of 20")
	}
}

// repeatSeed asks the same with the same seed before and after other work.
func repeatSeed(t *testing.T, c client, d *diary) {
	t.Helper()
	body := prompt("Tell a story about a lighthouse.", `,"generationConfig":{"seed":42,"temperature":1,"maxOutputTokens":80}`)
	first := spoken(c.want(200, "POST", small+"generateContent", body))
	c.want(200, "POST", small+"generateContent", prompt("Tell a story about a lighthouse.", `,"generationConfig":{"maxOutputTokens":20}`))
	c.want(200, "POST", small+"generateContent", prompt("Name three rivers.", `,"generationConfig":{"maxOutputTokens":20}`))
	again := spoken(c.want(200, "POST", small+"generateContent", body))
	d.note("Tell a story about a lighthouse (seed 42)", first)
	if first != again || first == "" {
		t.Errorf("the same seed said\n%q and\n%q", first, again)
	}
	other := spoken(c.want(200, "POST", small+"generateContent", strings.Replace(body, `"seed":42`, `"seed":43`, 1)))
	if other == first {
		t.Error("another seed said the same")
	}
}

func embedNear(t *testing.T, c client) {
	t.Helper()
	embed := func(text string) []any {
		answer := c.want(200, "POST", "/v1beta/models/smollm2-135m-embedding:embedContent", `{"content":{"parts":[{"text":"`+text+`"}]}}`)
		list, _ := dig(answer, "embedding", "values").([]any)
		return list
	}
	near := func(a, b []any) (sum float64) {
		for i := range a {
			sum += a[i].(float64) * b[i].(float64)
		}
		return sum
	}
	cat, kitten, tax := embed("A cat sits on the mat."), embed("A kitten sits on the rug."),
		embed("Value added tax is due in March.")
	if len(cat) != 576 || near(cat, kitten) <= near(cat, tax) {
		t.Errorf("%d numbers; a cat is as near to a kitten (%.3f) as to a tax (%.3f)", len(cat), near(cat, kitten),
			near(cat, tax))
	}
}

// driveEngine looks at what the API does not show: how much of a conversation
// the engine remembers, and that a reader who leaves stops it.
func driveEngine(t *testing.T, dir, program string, d *diary) {
	t.Helper()
	folder := weights.Open(dir)
	model, err := folder.Find("smollm2")
	if err != nil {
		t.Fatal(err)
	}
	e := engine.NewClient(engine.Options{
		Program: func() (string, error) { return program, nil }, Queue: 2, Idle: time.Hour,
		NewTimer: func(d time.Duration) (<-chan time.Time, func() bool) { t := time.NewTimer(d); return t.C, t.Stop },
		Load: func() (engine.Load, error) {
			libraries, err := folder.Libraries()
			if err != nil {
				return engine.Load{}, err
			}
			path, err := folder.Weights(model)
			return engine.Load{Libraries: libraries, Weights: path, Threads: 1, Context: 2048, Slots: 2}, err
		},
	})
	defer e.Close()
	long := strings.Repeat("The lighthouse keeper writes down every ship that passes. ", 30)
	p := engine.Prompt{
		Messages: []engine.Message{{Role: "user", Content: long + "Who writes?"}}, MaxTokens: 20, Seed: 1, TopP: 1,
	}
	said := ""
	first, err := e.Generate(context.Background(), p, func(p engine.Piece) error { said += p.Text; return nil })
	if err != nil {
		t.Fatal(err)
	}
	p.Messages = append(p.Messages, engine.Message{Role: "assistant", Content: said}, engine.Message{
		Role: "user", Content: "What does he write?",
	})
	second, err := e.Generate(context.Background(), p, func(engine.Piece) error { return nil })
	if err != nil || second.Cached < first.Prompt {
		t.Errorf("the second turn remembered %d of %d tokens, want at least %d (%v)", second.Cached, second.Prompt,
			first.Prompt, err)
	}
	p.Exact = true
	exact, err := e.Generate(context.Background(), p, func(engine.Piece) error { return nil })
	if err != nil || exact.Cached < first.Prompt-128 {
		t.Errorf("an exact turn remembered %d of %d tokens (%v)", exact.Cached, exact.Prompt, err)
	}
	d.note("remembered", fmt.Sprintf("first %+v\nsecond %+v\nexact %+v", first, second, exact))
	ctx, leave := context.WithCancel(context.Background())
	pieces := 0
	p.MaxTokens = 1000
	if _, err := e.Generate(ctx, p, func(engine.Piece) error { pieces++; leave(); return nil }); err == nil || pieces > 2 {
		t.Errorf("a reader who left after the first piece got %d (%v)", pieces, err)
	}
	leave()
}

// TestOnlineSentences pulls each encoder of sentences and has it judge 200 pairs: the
// area under the curve is how often a pair of like sentences is nearer than one
// of unlike ones.
func TestOnlineSentences(t *testing.T) {
	for _, name := range []string{"minilm", "bge-small"} {
		t.Run(name, func(t *testing.T) {
			h := identitytest.SQLite(t, func(w *world.World, identity *identity.Identity) module.Module {
				return generate.New(w, identity, generate.DefaultConfig(), os.Getenv).Module()
			})
			c := newClient(t, h, "ada")
			pull(t, h, name)
			like, unlike, version := judgePairs(t, c)
			area := 0.0
			for _, near := range like {
				for _, far := range unlike {
					if near > far {
						area++
					}
				}
			}
			area /= float64(len(like) * len(unlike))
			t.Logf("%s: area under the curve %.4f over %d and %d pairs", version, area, len(like), len(unlike))
			if area < 0.9 || len(like) != 100 || len(unlike) != 100 || version == generate.ScriptEmbedding {
				t.Errorf("area %.4f, want at least 0.9", area)
			}
		})
	}
}

// judgePairs embeds the labelled pairs under an id of the family.
func judgePairs(t *testing.T, c client) (like, unlike []float64, version any) {
	t.Helper()
	list, err := os.ReadFile(filepath.Join("testdata", "pairs", "pairs.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string][]any{}
	embed := func(text string) []any {
		if known[text] == nil {
			raw, _ := json.Marshal(map[string]any{"content": map[string]any{"parts": []any{map[string]string{"text": text}}}})
			answer := c.want(200, "POST", "/v1beta/models/text-embedding-004:embedContent", string(raw))
			version = answer["modelVersion"]
			known[text], _ = dig(answer, "embedding", "values").([]any)
		}
		return known[text]
	}
	for line := range strings.Lines(string(list)) {
		row := strings.Split(strings.TrimSpace(line), "\t")
		a, b, near := embed(row[1]), embed(row[2]), 0.0
		for i := range a {
			near += a[i].(float64) * b[i].(float64)
		}
		if row[0] == "1" {
			like = append(like, near)
		} else {
			unlike = append(unlike, near)
		}
	}
	return like, unlike, version
}
