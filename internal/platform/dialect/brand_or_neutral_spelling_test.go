package dialect_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/platform/dialect"
)

func load(t testing.TB, mode string) *dialect.Dialect {
	t.Helper()
	d, err := dialect.Load(mode)
	if err != nil {
		t.Fatalf("Load(%q) = %v", mode, err)
	}
	return d
}

func TestSpelling(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name    string
		mode    string
		word    dialect.Word
		says    string
		accepts []string
	}{
		{"neutral by default", "", dialect.PipelineToken, "Pipeline-Token", []string{"Pipeline-Token"}},
		{"neutral by name", "neutral", dialect.ScopeReadSvc, "read_svc", []string{"read_svc"}},
		{"brand answered, both accepted", "sdk", dialect.PipelineToken, "Circle-Token",
			[]string{"Pipeline-Token", "Circle-Token"}},
		{"first of several brands answered", "sdk", dialect.VCSA, "github", []string{"vcs_a", "github", "gh"}},
		{"scope", "sdk", dialect.ScopeVideoPartnerAudit, "youtubepartner-channel-audit",
			[]string{"videopartner-channel-audit", "youtubepartner-channel-audit"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := load(t, row.mode)
			if got := d.Says(row.word); got != row.says {
				t.Errorf("Says = %q, want %q", got, row.says)
			}
			if diff := cmp.Diff(row.accepts, d.Accepts(row.word)); diff != "" {
				t.Errorf("Accepts (-want +got):\n%s", diff)
			}
			if got, want := d.NeutralOf(row.word), row.accepts[0]; got != want {
				t.Errorf("NeutralOf = %q, want %q", got, want)
			}
			for _, text := range row.accepts {
				if got, ok := d.AsNeutral(text, dialect.APIKey, row.word); !ok || got != row.accepts[0] {
					t.Errorf("AsNeutral(%q) = %q, %v, want %q, true", text, got, ok, row.accepts[0])
				}
			}
		})
	}
	t.Run("an append by a caller changes nothing", func(t *testing.T) {
		t.Parallel()
		d := load(t, "sdk")
		_ = append(d.Accepts(dialect.VCSA), "other")
		if slices.Contains(d.Accepts(dialect.VCSA), "other") {
			t.Fatal("a caller's append is seen by others")
		}
	})
	t.Run("unknown mode", func(t *testing.T) {
		t.Parallel()
		if d, err := dialect.Load("klingon"); err == nil {
			t.Fatalf("Load = %v, nil, want an error", d)
		}
	})
	t.Run("a word that no dialect spells", func(t *testing.T) {
		t.Parallel()
		got, ok := load(t, "neutral").AsNeutral("read_qiita", dialect.ScopeReadSvc)
		if ok || got != "read_qiita" {
			t.Fatalf("AsNeutral = %q, %v, want the text itself, false", got, ok)
		}
	})
}

func TestGet(t *testing.T) {
	t.Parallel()
	neutral := http.Header{"Pipeline-Token": {"n"}}
	brand := http.Header{"Circle-Token": {"b"}}
	rows := []struct {
		name, mode string
		header     http.Header
		want       string
	}{
		{"neutral reads neutral", "neutral", neutral, "n"},
		{"neutral is blind to the brand", "neutral", brand, ""},
		{"sdk reads neutral", "sdk", neutral, "n"},
		{"sdk reads the brand", "sdk", brand, "b"},
		{"nothing there", "sdk", http.Header{}, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := load(t, row.mode).Get(row.header, dialect.PipelineToken); got != row.want {
				t.Fatalf("Get = %q, want %q", got, row.want)
			}
		})
	}
}

func TestCutPrefix(t *testing.T) {
	t.Parallel()
	rows := []struct {
		mode, text, rest string
		found            bool
	}{
		{"neutral", "svc_abc", "abc", true},
		{"neutral", "cal_abc", "cal_abc", false},
		{"sdk", "svc_abc", "abc", true},
		{"sdk", "cal_abc", "abc", true},
		{"sdk", "cal_live_abc", "abc", true},
		{"sdk", "", "", false},
	}
	for _, row := range rows {
		t.Run(row.mode+" "+row.text, func(t *testing.T) {
			t.Parallel()
			rest, found := load(t, row.mode).CutPrefix(dialect.SchedulingKeyPrefix, row.text)
			if rest != row.rest || found != row.found {
				t.Fatalf("CutPrefix = %q, %v, want %q, %v", rest, found, row.rest, row.found)
			}
		})
	}
}

func TestMembers(t *testing.T) {
	t.Parallel()
	rows := []struct{ name, mode, letter, neutral, brand string }{
		{"top level", "sdk", "G", `{"pipeline_yml":1}`, `{"circle_yml":1}`},
		{"nested, spaced", "sdk", "I", "[{\"actor\": {\"avatar_service_id\" : \"\"}}]",
			"[{\"actor\": {\"gravatar_id\" : \"\"}}]"},
		{"several", "sdk", "F", `{"social_a_id":null,"social_b_id":"x","id":"a"}`,
			`{"facebook_id":null,"linkedin_id":"x","id":"a"}`},
		{"a value is not a name", "sdk", "G", `{"a":"pipeline_yml"}`, `{"a":"pipeline_yml"}`},
		{"an escaped quote before", "sdk", "G", `{"a\"":"\\","pipeline_yml":"\""}`, `{"a\"":"\\","circle_yml":"\""}`},
		{"another service", "sdk", "F", `{"pipeline_yml":1}`, `{"pipeline_yml":1}`},
		{"neutral mode", "neutral", "G", `{"pipeline_yml":1}`, `{"pipeline_yml":1}`},
		{"no such service", "sdk", "", `{"pipeline_yml":1}`, `{"pipeline_yml":1}`},
		{"cut off", "sdk", "G", `{"pipeline_yml`, `{"pipeline_yml`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			m := load(t, row.mode).Members(row.letter)
			if got := string(m.Out([]byte(row.neutral))); got != row.brand {
				t.Errorf("Out = %s, want %s", got, row.brand)
			}
			if got := string(m.In([]byte(row.brand))); got != row.neutral {
				t.Errorf("In = %s, want %s", got, row.neutral)
			}
		})
	}
	t.Run("map to neutral", func(t *testing.T) {
		t.Parallel()
		m := load(t, "sdk").Members("I")
		if got, want := m.Neutral()["gravatar_id"], "avatar_service_id"; got != want {
			t.Errorf("Neutral = %q, want %q", got, want)
		}
	})
}

// Renaming what an encoder wrote must give the same as encoding renamed members, whatever the values hold.
func TestMembersRoundTrip(t *testing.T) {
	t.Parallel()
	m := load(t, "sdk").Members("F")
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SampledFrom([]string{"social_a_id", "social_c_screen_name", "name", "tweets"})
		values := rapid.MapOf(names, rapid.OneOf(rapid.String(), names)).Draw(t, "values")
		want, left := map[string]string{}, maps.Clone(values)
		for brand, neutral := range m.Neutral() {
			if value, ok := values[neutral]; ok {
				want[brand] = value
				delete(left, neutral)
			}
		}
		maps.Copy(want, left)
		plain, err := json.Marshal(values)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]string
		if err := json.Unmarshal(m.Out(plain), &got); err != nil {
			t.Fatalf("Out is not JSON: %v", err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("Out (-want +got):\n%s", diff)
		}
		if got := m.In(m.Out(plain)); string(got) != string(plain) {
			t.Fatalf("In(Out) = %s, want %s", got, plain)
		}
	})
}

func BenchmarkSays(b *testing.B) {
	d := load(b, "sdk")
	b.ReportAllocs()
	for b.Loop() {
		_ = d.Says(dialect.PipelineToken)
	}
}

func TestUnreadHeader(t *testing.T) {
	t.Parallel()
	h := http.Header{"X-Goog-Api-Client": {"gl-go/1"}, "User-Agent": {"x"}}
	for mode, want := range map[string]string{dialect.Neutral: "X-Goog-Api-Client", dialect.SDK: ""} {
		d, err := dialect.Load(mode)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.UnreadHeader(h); got != want {
			t.Errorf("%s: got %q, want %q", mode, got, want)
		}
		for _, name := range []string{"Circle-Token", "DD-API-KEY", "DD-APPLICATION-KEY"} {
			with := h.Clone()
			with.Set(name, "secret")
			if got := d.UnreadHeader(with); want != "" && got != name || want == "" && got != "" {
				t.Errorf("%s with %s: got %q", mode, name, got)
			}
		}
	}
}
