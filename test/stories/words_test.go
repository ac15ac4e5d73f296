package stories_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestStoriesRunToTheirEnd keeps out two words of testscript itself that would
// end a story early, or do nothing, without a failure: ours are halt and crash.
func TestStoriesRunToTheirEnd(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories found: %v", err)
	}
	forbidden := regexp.MustCompile(`(?m)^(stop|kill|skip)\b.*$`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := forbidden.FindString(string(text)); found != "" {
			t.Errorf("%s says %q; use halt or crash", file, found)
		}
	}
}
