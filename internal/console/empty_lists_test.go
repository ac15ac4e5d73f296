package console_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEmptyListsLeadOn: what a page says in place of an empty list leads to what to do next.
func TestEmptyListsLeadOn(t *testing.T) {
	t.Parallel()
	empty := regexp.MustCompile(`<(div|p) class="(card blank|empty)".*?</(div|p)>\{\{end\}\}|<p class="empty">.*?</p>`)
	found := 0
	look := func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".html" || strings.Contains(path, "assets") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, card := range empty.FindAllString(string(text), -1) {
			found++
			if !strings.Contains(card, "<a ") && !strings.Contains(card, `id="none"`) { // a build that begins
				t.Errorf("%s has no link: %s", path, card)
			}
		}
		return err
	}
	for _, folder := range []string{".", "../service/pipelines/web"} {
		if err := filepath.WalkDir(folder, look); err != nil {
			t.Fatal(err)
		}
	}
	if found < 12 {
		t.Errorf("%d empty lists found, want 12 and more", found)
	}
}
