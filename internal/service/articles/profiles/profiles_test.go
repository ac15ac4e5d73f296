package profiles_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/articles/profiles"
)

// TestWrite: what is not said is null, and four members are spelt by the dialect.
func TestWrite(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ spelt, want string }{
		"neutral": {"neutral", `{"description":"D","social_a_id":null,"social_b_id":null,"social_c_screen_name":null,` +
			`"code_host_login_name":null,"location":null,"organization":null,"website_url":null}`},
		"sdk": {"sdk", `{"description":"D","facebook_id":null,"linkedin_id":null,"twitter_screen_name":null,` +
			`"github_login_name":null,"location":null,"organization":null,"website_url":null}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := dialect.Load(row.spelt)
			if err != nil {
				t.Fatal(err)
			}
			var b wire.Builder
			profiles.New(&world.World{Dialect: d}, nil).Write(b.Object(), profiles.Profile{"D"})
			if got := string(b.End().Bytes()); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}
