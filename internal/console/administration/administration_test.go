package administration_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/console/administration"
	"stoa.dev/stoa/internal/platform/resource/resourcetest"
	"stoa.dev/stoa/internal/platform/route"
)

func TestResources(t *testing.T) {
	t.Parallel()
	if err := resourcetest.Check(administration.Module().Resources, nil); err != nil {
		t.Error(err)
	}
	for _, r := range administration.Module().Resources {
		if !r.Admin {
			t.Errorf("%s is not for administrators alone", r.Name)
		}
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	page, err := administration.Show(t.Context(), "settings", administration.Facts{
		Settings: func() []administration.Setting {
			return []administration.Setting{
				{Name: "tasks.max_lists", Value: "7", Default: "2000", Changed: true, Origin: "file",
					Meaning: "How many lists."},
				{Name: "kms.provider", Value: "<local>", Default: "<local>", Origin: "default"},
			}
		},
		Query: map[string][]string{"changed": {"yes"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	text := string(page.HTML)
	if !strings.Contains(text, "tasks.<wbr>max_<wbr>lists") || !strings.Contains(text, "default 2000") ||
		!strings.Contains(text, "How many lists.") || !strings.Contains(text, ">file</span>") ||
		strings.Contains(text, "kms.provider") {
		t.Errorf("the page is\n%s", text)
	}
	many := make([]administration.Setting, 250)
	for query, want := range map[string]string{
		"": `settings?from=50" rel="next"`, "from=50&changed=": `settings?from=100" rel="next"`, "from=200": `settings?">First page`,
		"from=-9": `settings?from=50" rel="next"`, "from=999": "No setting matches",
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		page, err := administration.Show(t.Context(), "settings", administration.Facts{
			Settings: func() []administration.Setting { return many }, Query: values,
		})
		if err != nil || !strings.Contains(string(page.HTML), want) || strings.Count(string(page.HTML), "<tr>") > 51 {
			t.Errorf("%q: %v, %d rows, want %s", query, err, strings.Count(string(page.HTML), "<tr>"), want)
		}
	}
	if _, err := administration.Show(t.Context(), "nowhere", administration.Facts{}); !errors.Is(err, route.ErrNoRoute) {
		t.Errorf("err = %v, want ErrNoRoute", err)
	}
}
