package weights

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"stoa.dev/stoa/engine/enginetest"
)

func ggufText(s string) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(s))), s...)
}

// ggufFile is a file with a header and no tensors.
func ggufFile(template string) []byte {
	b := binary.LittleEndian.AppendUint32([]byte("GGUF"), 3)
	b = binary.LittleEndian.AppendUint64(b, 0)
	b = binary.LittleEndian.AppendUint64(b, 6)
	add := func(key string, kind uint32, value []byte) {
		b = append(binary.LittleEndian.AppendUint32(append(b, ggufText(key)...), kind), value...)
	}
	add("general.name", kindText, ggufText("My Model 1B"))
	add("general.architecture", kindText, ggufText("llama"))
	add("llama.context_length", 4, binary.LittleEndian.AppendUint32(nil, 4096))
	add("llama.embedding_length", 4, binary.LittleEndian.AppendUint32(nil, 64))
	list := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(nil, kindText), 2)
	add("tokenizer.ggml.tokens", kindArray, append(append(list, ggufText("a")...), ggufText("b")...))
	add("tokenizer.chat_template", kindText, ggufText(template))
	return b
}

func TestAdd(t *testing.T) {
	t.Parallel()
	f, s := newStock(t)
	file := filepath.Join(t.TempDir(), "mine.gguf")
	must(t, os.WriteFile(file, ggufFile("{{ messages }}"), 0o600))
	m, err := f.Add(t.Context(), file, "", s, func(Progress) {})
	must(t, err)
	if m.Name != "my-model-1b" || m.Context != 4096 || m.Width != 64 || m.Title != "My Model 1B" {
		t.Errorf("added %+v", m)
	}
	again := Open(filepath.Dir(f.dir))
	again.supported, again.catalog, again.libraries = true, f.catalog, f.libraries
	found, err := again.Find("my-model-1b")
	must(t, err)
	if _, err := again.Weights(found); err != nil || len(again.Pulled()) != 1 {
		t.Errorf("after a restart: %v, %d models", err, len(again.Pulled()))
	}
	if _, err := f.Add(t.Context(), file, "my-model-1b", s, func(Progress) {}); err == nil {
		t.Error("a name was given twice")
	}
	must(t, f.Remove("my-model-1b"))
	if _, err := f.Find("my-model-1b"); !errors.Is(err, ErrUnknown) {
		t.Errorf("after the removal: %v", err)
	}
	must(t, os.WriteFile(file, ggufFile(""), 0o600))
	if _, err := f.Add(t.Context(), file, "base", s, func(Progress) {}); err == nil {
		t.Error("a model without a chat template was added")
	}
	must(t, os.WriteFile(file, []byte("GGUFx"), 0o600))
	if _, err := f.Add(t.Context(), file, "bad", s, func(Progress) {}); !errors.Is(err, ErrGGUF) {
		t.Errorf("not a GGUF file: %v", err)
	}
}

// FuzzReadHeader reads headers as others write them.
func FuzzReadHeader(f *testing.F) {
	enginetest.AddSeed(f, ggufFile("{{ messages }}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if h, err := readHeader(bytes.NewReader(b)); err == nil && (h.Context < 0 || h.Width < 0) {
			t.Errorf("header: %+v", h)
		}
	})
}

// TestAddedInAnyFolder: the name of a data folder is no pattern.
func TestAddedInAnyFolder(t *testing.T) {
	t.Parallel()
	f, s := newStock(t)
	f.dir = filepath.Join(t.TempDir(), "data[1]", "models")
	file := filepath.Join(t.TempDir(), "mine.gguf")
	must(t, os.WriteFile(file, ggufFile("{{ messages }}"), 0o600))
	m, err := f.Add(t.Context(), file, "", s, func(Progress) {})
	must(t, err)
	if _, err := f.Find(m.Name); err != nil {
		t.Errorf("what was added in %s: %v", f.dir, err)
	}
}
