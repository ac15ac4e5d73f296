package laststart

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// flagsFile is where a data folder keeps the flags of the last stoa start.
const flagsFile = "start.json"

// kept are the flags that a later start without them takes over. The address has a file
// of its own, because a server in the foreground keeps it too.
func kept() []string { return []string{"https", "kms-socket", "dialect", "log", "offline", "demo"} }

// Flags are flags of serve by their names.
type Flags map[string]string

// RecallFlags are the flags of the last start, none when there was none.
func RecallFlags(data string) (Flags, error) {
	text, err := os.ReadFile(filepath.Join(data, flagsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all, known Flags = nil, Flags{}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s in %s is damaged; remove it", flagsFile, data)
	}
	for _, name := range kept() {
		if value, ok := all[name]; ok {
			known[name] = value
		}
	}
	return known, nil
}

// Remember keeps the flags with the folder.
func (f Flags) Remember(data string) error {
	out := Flags{}
	for _, name := range kept() {
		if value, ok := f[name]; ok {
			out[name] = value
		}
	}
	text, err := json.Marshal(out)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(data, flagsFile), append(text, '\n'), 0o600)
}
