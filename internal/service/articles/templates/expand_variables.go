package templates

import (
	"fmt"
	"strings"
	"time"

	"stoa.dev/stoa/internal/service/articles/tagging"
)

func (t *Template) expand(now time.Time, me string) {
	t.ExpandedTitle, t.ExpandedBody = expand(t.Title, now, me), expand(t.Body, now, me)
	t.ExpandedTags = make([]tagging.Tagging, len(t.Tags))
	for n, tag := range t.Tags {
		t.ExpandedTags[n] = tagging.Tagging{Name: expand(tag.Name, now, me), Versions: tag.Versions}.NotNull()
	}
}

// varMe stands for the name of who reads a template, the only value that may be longer than its variable.
const varMe = "%{me}"

// expandedBytes is at most how long the copy of a text is in which values stand in the place of its variables. A text
// that has none is not copied.
func expandedBytes(text, me string) int {
	if !strings.Contains(text, "%{") {
		return 0
	}
	return len(text) + strings.Count(text, varMe)*max(0, len(me)-len(varMe))
}

// expand puts values in the place of variables. An unknown one stays as it is.
func expand(text string, now time.Time, me string) string {
	if !strings.Contains(text, "%{") {
		return text
	}
	return strings.NewReplacer(
		varMe, me, "%{Year}", now.Format("2006"), "%{year}", now.Format("06"), "%{month}", now.Format("01"),
		"%{day}", now.Format("02"), "%{hour}", now.Format("15"), "%{min}", now.Format("04"), "%{sec}", now.Format("05"),
		"%{wday}", fmt.Sprint(int(now.Weekday())),
	).Replace(text)
}
