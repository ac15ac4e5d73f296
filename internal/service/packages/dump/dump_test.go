package dump_test

import (
	"bytes"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/service/packages/dump"
)

func TestRead(t *testing.T) {
	t.Parallel()
	r, head, isDump, err := dump.Open(strings.NewReader(`{"format":"stoa packages","version":1,"packages":3}
{"key":{"system":"NPM","name":"a"},"versions":[{"key":{"version":"1.0.0"}}]}
{"key":
{"key":{"system":"NPM","name":"b"},"versions":[{"key":{"version":"1.0.0"}}]}
`))
	if err != nil || !isDump || head.Packages != 3 {
		t.Fatalf("head %+v, %v, %v", head, isDump, err)
	}
	parts := make(chan dump.Part, 1)
	dump.Read(t.Context(), r, 1, parts)
	part := <-parts
	if part.Err != nil || part.Packages != 3 || len(part.List) != 1 || part.List[0].Key.Name != "b" {
		t.Errorf("part %+v", part)
	}
	if len(part.Faults) != 1 || part.Faults[0].Line != 3 {
		t.Errorf("faults %+v", part.Faults)
	}
	if _, _, isDump, err := dump.Open(strings.NewReader("pkg:npm/a")); isDump || err != nil {
		t.Errorf("a list is a dump: %v", err)
	}
}

// FuzzRead: a dump may come from anywhere.
func FuzzRead(f *testing.F) {
	fuzztest.Bytes(f, []byte(`{"format":"stoa packages","version":1,"packages":1}
{"key":{"system":"NPM","name":"x"},"versions":[{"key":{"version":"1"}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, _, isDump, err := dump.Open(bytes.NewReader(text))
		if err != nil || !isDump {
			return
		}
		parts := make(chan dump.Part)
		go func() {
			defer close(parts)
			dump.Read(t.Context(), r, 0, parts)
		}()
		for part := range parts {
			for _, p := range part.List {
				if err := p.Key.Check(); err != nil {
					t.Errorf("key %v: %v", p.Key, err)
				}
			}
		}
	})
}
