package generate_test

import (
	"fmt"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/generate"
)

// tight is a world whose requests share so much memory.
func tight(t *testing.T, total int64) (*identitytest.Server, *budget.Pool) {
	t.Helper()
	pool := budget.New(budget.Options{Name: "memory", Total: total, PerOwner: total / 2})
	h := identitytest.SQLite(t, func(w *world.World, identity *identity.Identity) module.Module {
		w.Memory = pool
		return build(generate.DefaultConfig())(w, identity)
	})
	return h, pool
}

// empties are bodies with a list of empty elements in each member that has one.
func empties(n int) map[string]string {
	list := func(element string) string { return strings.TrimSuffix(strings.Repeat(element+",", n), ",") }
	members := func() string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"%d":{}`, i)
		}
		return strings.TrimPrefix(b.String(), ",")
	}()
	return map[string]string{
		"contents":           `{"contents":[` + list(`{}`) + `]}`,
		"parts":              `{"contents":[{"parts":[` + list(`{}`) + `]}]}`,
		"system parts":       hello(`,"systemInstruction":{"parts":[` + list(`{}`) + `]}`),
		"tools":              hello(`,"tools":[` + list(`{}`) + `]`),
		"functions":          hello(`,"tools":[{"functionDeclarations":[` + list(`{}`) + `]}]`),
		"properties":         hello(`,"generationConfig":{"responseMimeType":"application/json","responseSchema":{"type":"OBJECT","properties":{` + members + `}}}`),
		"alternatives":       hello(`,"generationConfig":{"responseMimeType":"application/json","responseSchema":{"anyOf":[` + list(`{}`) + `]}}`),
		"safety settings":    hello(`,"safetySettings":[` + list(`{}`) + `]`),
		"stop sequences":     hello(`,"generationConfig":{"stopSequences":[` + list(`""`) + `]}`),
		"modalities":         hello(`,"generationConfig":{"responseModalities":[` + list(`""`) + `]}`),
		"allowed functions":  hello(`,"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":[` + list(`""`) + `]}}`),
		"arguments":          `{"contents":[{"parts":[{"functionCall":{"name":"f","args":{"a":[` + list(`{}`) + `]}}}]}]}`,
		"a schema in JSON":   hello(`,"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{"anyOf":[` + list(`{}`) + `]}}`),
		"members of nothing": hello(`,"unknown":[` + list(`{}`) + `]`),
	}
}

// TestEmptyElements: eight requests of megabytes of empty elements at once are
// refused before they become anything, in every member and wherever they go.
// It measures what the process allocates, so it runs alone.
func TestEmptyElements(t *testing.T) {
	h, pool := tight(t, 256<<20)
	c := newClient(t, h, "ada")
	for name, body := range empties(600_000) {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			answers := make([]*httptest.ResponseRecorder, 8)
			var group sync.WaitGroup
			for i := range answers {
				group.Go(func() { answers[i] = c.call("POST", script+"generateContent", body) })
			}
			group.Wait()
			runtime.ReadMemStats(&after)
			for _, w := range answers {
				if w.Code != 400 && w.Code != 429 {
					t.Errorf("%d %.200s, want 400 or 429", w.Code, w.Body)
				}
			}
			// Reading eight bodies allocates five times their size, in buffers that double.
			if got := after.TotalAlloc - before.TotalAlloc; got > 60*uint64(len(body)) {
				t.Errorf("%d MB for eight bodies of %d kB", got>>20, len(body)>>10)
			}
			if pool.Used() != 0 {
				t.Errorf("%d bytes are still held", pool.Used())
			}
		})
	}
}

// TestMostElements: as many elements as a body may have are weighed before they
// are decoded.
func TestMostElements(t *testing.T) {
	t.Parallel()
	h, pool := tight(t, 48<<20)
	c := newClient(t, h, "ada")
	for name, body := range empties(90_000) {
		if w := c.call("POST", script+"generateContent", body); w.Code != 413 && w.Code != 429 {
			t.Errorf("%s: %d %.200s, want 413 or 429 where 24 MB are all that one caller has", name, w.Code, w.Body)
		}
	}
	if pool.Used() != 0 {
		t.Errorf("%d bytes are still held", pool.Used())
	}
}

// TestShortRequestsOfLongThings: a request that only names cached content or
// files takes memory for them.
func TestShortRequestsOfLongThings(t *testing.T) {
	t.Parallel()
	h, pool := tight(t, 48<<20)
	c := newClient(t, h, "ada")
	text := strings.Repeat("many words are cached here ", 80_000)
	made := c.want(200, "POST", "/v1beta/cachedContents", `{"model":"models/stoa-script","contents":[{"parts":[{"text":"`+text+`"}]}]}`)
	body := hello(`,"cachedContent":"` + fmt.Sprint(made["name"]) + `"`)
	c.want(200, "POST", script+"generateContent", body)
	held, err := pool.Take(t.Context(), budget.Caller("a"), 20<<20)
	if err != nil {
		t.Fatal(err)
	}
	also, err := pool.Take(t.Context(), budget.Caller("b"), 22<<20)
	if err != nil {
		t.Fatal(err)
	}
	c.want(429, "POST", script+"generateContent", body)
	held.Release()
	also.Release()
	c.want(200, "POST", script+"generateContent", body)
	if pool.Used() != 0 {
		t.Errorf("%d bytes are still held", pool.Used())
	}
}

// TestSchemasThatMultiply: schemas that become large when they are followed come
// to an end, quickly.
func TestSchemasThatMultiply(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(generate.DefaultConfig()))
	c := newClient(t, h, "ada")
	names := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, ","+format, i)
		}
		return strings.TrimPrefix(b.String(), ",")
	}
	long := strings.Repeat("x", 200_000)
	many := names(20_000, `"%d":{"type":"null"}`)
	for name, schema := range map[string]string{
		"a long default that is named often": `{"$defs":{"a":{"default":"` + long + `"}},"type":"array","items":{"$ref":"#/$defs/a"},"minItems":5000}`,
		"a long constant in a list":          `{"type":"array","items":{"const":"` + long + `"},"minItems":5000}`,
		"a long value in a list":             `{"type":"array","items":{"enum":["` + long + `"]},"minItems":5000}`,
		"a long reference":                   `{"type":"array","items":{"$ref":"#/` + long + `"},"minItems":60000}`,
		"schemas that are joined often": `{"$defs":{"a":{"allOf":[{"properties":{` + many + `}}],"properties":{}}},
			"type":"array","minItems":60000,"items":{"allOf":[{"$ref":"#/$defs/a"}],"maxProperties":0}}`,
		"a pattern of patterns": `{"type":"array","minItems":1000,"items":{"type":"string","pattern":"^((a{30}){30}){30}$"}}`,
		"a long pattern":        `{"type":"string","pattern":"` + strings.Repeat("(a|b)*", 20_000) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			w := c.call("POST", script+"generateContent", hello(`,"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":`+schema+`}`))
			if took := time.Since(began); took > 5*time.Minute || w.Body.Len() > 2<<20 || (w.Code != 200 && w.Code != 400) {
				t.Errorf("%d with %d bytes after %s, want 200 or 400 within five minutes: %.200s", w.Code, w.Body.Len(), took,
					w.Body)
			}
		})
	}
}

// TestFilesAreCounted: empty files take no bytes and are counted all the same.
func TestFilesAreCounted(t *testing.T) {
	t.Parallel()
	config := generate.DefaultConfig()
	config.MaxFiles = 3
	on(t, config, func(t *testing.T, c client) {
		upload := func(status int) {
			t.Helper()
			w := c.h.Call("POST", "/upload/v1beta/files?uploadType=media&key="+c.key, "", "Content-Type: text/plain")
			if w.Code != status {
				t.Errorf("%d %s, want %d", w.Code, w.Body, status)
			}
		}
		for range 3 {
			upload(200)
		}
		upload(429)
		newClient(t, c.h, "grace").want(200, "GET", "/v1beta/files", "")
	})
}

// FuzzMultipart: no body of an upload in parts ends the process, and none is
// taken without its two parts.
func FuzzMultipart(f *testing.F) {
	fuzztest.Strings(f,
		"--b\r\nContent-Type: application/json\r\n\r\n{\"file\":{\"displayName\":\"a\"}}\r\n--b\r\nContent-Type: "+
			"text/plain\r\n\r\nhello\r\n--b--\r\n",
		"--b\r\n\r\n\r\n--b\r\n\r\n\r\n--b--", "--b", "", "--b\r\n"+strings.Repeat("A: b\r\n", 100)+"\r\n{}",
		"--b\r\n\r\n["+strings.Repeat("{},", 2000)+"{}]\r\n--b\r\n\r\nx\r\n--b--",
	)
	h := identitytest.Open(f, build(generate.DefaultConfig()), "")
	h.User("ada")
	key := h.Key("ada", identity.KindAPI, 0)
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequest("POST", "/upload/v1beta/files?uploadType=multipart&key="+key, strings.NewReader(body))
		r.Header.Set("Content-Type", "multipart/related; boundary=b")
		w := httptest.NewRecorder()
		h.Module.Handler.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Errorf("%q: %d %s", body, w.Code, w.Body)
		}
	})
}

// TestHeadsOfParts: what stands before the bytes of an upload in parts is bounded while it comes. It takes memory
// that nothing else counts, and stays as long as the bytes after it take.
func TestHeadsOfParts(t *testing.T) {
	h, _ := tight(t, 48<<20)
	c := newClient(t, h, "ada")
	const meta = "Content-Type: application/json\r\n\r\n{}"
	long := "X-Long: " + strings.Repeat("x", 8<<20) + "\r\n"
	many := strings.Repeat("A: b\r\n", 200_000)
	for name, body := range map[string]string{
		"a long header of the first part":  "--b\r\n" + long + meta + "\r\n--b\r\n\r\nx\r\n--b--\r\n",
		"a long header of the second part": "--b\r\n" + meta + "\r\n--b\r\n" + long + "\r\nx\r\n--b--\r\n",
		"many headers":                     "--b\r\n" + many + meta + "\r\n--b\r\n\r\nx\r\n--b--\r\n",
		"long text before the parts":       strings.Repeat(strings.Repeat("x", 80)+"\r\n", 100_000) + "--b\r\n" + meta,
		"text behind the first part":       "--b\r\n" + meta + strings.Repeat(" ", 8<<20) + "\r\n--b\r\n\r\nx\r\n--b--\r\n",
	} {
		r := httptest.NewRequest("POST", "/upload/v1beta/files?key="+c.key, strings.NewReader(body))
		r.Header.Set("X-Goog-Upload-Protocol", "multipart")
		r.Header.Set("Content-Type", "multipart/related; boundary=b")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w := h.Do(r)
		runtime.ReadMemStats(&after)
		if w.Code != 413 && (w.Code != 400 || name != "many headers") {
			t.Errorf("%s: %d %.200s, want 413", name, w.Code, w.Body)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 2<<20 {
			t.Errorf("%s: %d kB", name, got>>10)
		}
	}
	body := "--b\r\n" + meta + "\r\n--b\r\n\r\n" + strings.Repeat("x", 4<<20) + "\r\n--b--\r\n"
	r := httptest.NewRequest("POST", "/upload/v1beta/files?key="+c.key, strings.NewReader(body))
	r.Header.Set("X-Goog-Upload-Protocol", "multipart")
	r.Header.Set("Content-Type", "multipart/related; boundary=b")
	if w := h.Do(r); w.Code != 200 {
		t.Errorf("many bytes: %d %.200s, want 200", w.Code, w.Body)
	}
}

// TestStoredRequestsAreBounded: what one caller has stored of requests and answers has a bound; the oldest go.
func TestStoredRequestsAreBounded(t *testing.T) {
	t.Parallel()
	config := generate.DefaultConfig()
	config.MaxStorageBytes = 20_000
	on(t, config, func(t *testing.T, c client) {
		other := newClient(t, c.h, "bob")
		other.want(200, "POST", script+"generateContent", hello(`,"store":true`))
		const all = 12
		for i := range all {
			body := fmt.Sprintf(`{"contents":[{"parts":[{"text":"%s %d"}]}],"store":true}`, strings.Repeat("word ", 1000), i)
			c.want(200, "POST", script+"generateContent", body)
		}
		var rows, bytes, newest, others int64
		if err := c.h.World.DB.QueryRow(t.Context(), `SELECT COUNT(*), SUM(LENGTH(request) + LENGTH(response)), MAX(id),
			(SELECT COUNT(*) FROM generate_log WHERE user_id = $2) FROM generate_log WHERE user_id = $1`,
			c.h.User("ada").ID, c.h.User("bob").ID).Scan(&rows, &bytes, &newest, &others); err != nil {
			t.Fatal(err)
		}
		if one := bytes / rows; bytes-one > 20_000 || rows < 2 || newest != all+1 || others != 1 {
			t.Errorf("%d rows with %d bytes up to %d, and %d of the other; want 20000 bytes and one row at most, "+
				"the newest of %d, and 1", rows, bytes, newest, others, all)
		}
	})
}

// TestAllTextIsWeighed: text counts against what can be counted wherever it stands, not only in the turns.
func TestAllTextIsWeighed(t *testing.T) {
	t.Parallel()
	c := newClient(t, identitytest.SQLite(t, build(generate.DefaultConfig())), "ada")
	long := strings.Repeat("word ", 17<<20/5)
	for name, members := range map[string]string{
		"system instruction": `"contents":[{"parts":[{"text":"x"}]}],"systemInstruction":{"parts":[{"text":"` + long + `"}]}`,
		"a description": `"contents":[{"parts":[{"text":"x"}]}],"tools":[{"functionDeclarations":[{"name":"f","description":"` +
			long + `"}]}]`,
		"a schema": `"contents":[{"parts":[{"text":"x"}]}],"tools":[{"functionDeclarations":[{"name":"f","parameters":` +
			`{"type":"OBJECT","properties":{"a":{"type":"STRING","description":"` + long + `"}}}}]}]`,
		"code":        `"contents":[{"parts":[{"executableCode":{"language":"PYTHON","code":"` + long + `"}}]}]`,
		"its result":  `"contents":[{"parts":[{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"` + long + `"}}]}]`,
		"an argument": `"contents":[{"parts":[{"functionCall":{"name":"f","args":{"a":"` + long + `"}}}]}]`,
	} {
		for target, body := range map[string]string{
			script + "generateContent": `{` + members + `}`,
			"/v1beta/cachedContents":   `{"model":"models/stoa-script",` + members + `}`,
		} {
			answer := c.want(400, "POST", target, body)
			if said, _ := dig(answer, "error", "message").(string); !strings.Contains(said, "can be counted") {
				t.Errorf("%s at %s: %.200q, want that it is too much to be counted", name, target, said)
			}
		}
	}
}
