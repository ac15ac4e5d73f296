package tagging_test

import (
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/articles/tagging"
)

func named(names ...string) (tags []tagging.Tagging) {
	for _, name := range names {
		tags = append(tags, tagging.Tagging{Name: name})
	}
	return tags
}

func TestCheckAll(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		tags   []tagging.Tagging
		public bool
		ok     bool
	}{
		{named("Go"), true, true},
		{nil, false, true},
		{nil, true, false},
		{named("a", "b", "c", "d", "e", "f"), false, false},
		{named("Go", "gO"), true, false},
		{named("two words"), true, false},
		{named(strings.Repeat("x", 101)), true, false},
		{named(""), true, false},
		{[]tagging.Tagging{{Name: "go", Versions: []string{strings.Repeat("1", 65)}}}, true, false},
		{[]tagging.Tagging{{Name: "go", Versions: make([]string, 21)}}, true, false},
	} {
		if err := tagging.CheckAll(row.tags, row.public); (err == nil) != row.ok {
			t.Errorf("%+v, public %v: got %v", row.tags, row.public, err)
		}
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	if got := tagging.Order(named("c", "A", "b")); !slices.Equal(got, []int{1, 2, 0}) {
		t.Errorf("got %v", got)
	}
}
