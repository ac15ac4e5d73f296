package packages

import (
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/service/packages/dump"
)

// FuzzPageToken: no text that we did not seal opens, and none panics.
func FuzzPageToken(f *testing.F) {
	sealer := page.NewSealer([]byte("0123456789abcdef"))
	fuzztest.Add(f, sealer.Seal(cursor{At: 7}, "versionbatch a"), "versionbatch b")
	fuzztest.Add(f, "", "")
	fuzztest.Add(f, "made up", "x")
	f.Fuzz(func(t *testing.T, token, binding string) {
		var c cursor
		if sealer.Open(token, binding, &c) != nil {
			return
		}
		if sealer.Seal(c, binding) != token {
			t.Errorf("the token %q opens for %q and is not ours", token, binding)
		}
	})
}

// FuzzSelection: any parameters are either refused with a reason or usable.
func FuzzSelection(f *testing.F) {
	fuzztest.Add(f, "SHA256", "AAAA", "npm", "x", "1")
	f.Fuzz(func(t *testing.T, kind, value, system, name, version string) {
		s, err := readSelection(map[string][]string{
			"hash.type": {kind}, "hash.value": {value}, "versionKey.system": {system}, "versionKey.name": {name},
			"versionKey.version": {version},
		})
		if err == nil {
			err = s.check()
		}
		if err != nil && err.Error() == "" {
			t.Error("refused without a reason")
		}
	})
}

// FuzzDumpLine: a dump may come from anywhere.
func FuzzDumpLine(f *testing.F) {
	fuzztest.Bytes(f, []byte(`{"key":{"system":"NPM","name":"x"},"versions":[{"key":{"version":"1"}}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		p, err := dump.ParseLine(line)
		if err != nil {
			return
		}
		for i := range p.Versions {
			if err := p.Versions[i].Key.Check(); err != nil {
				t.Errorf("key %v: %v", p.Versions[i].Key, err)
			}
			if _, err := encodeRow(&p.Versions[i]); err != nil {
				t.Error(err)
			}
		}
	})
}
