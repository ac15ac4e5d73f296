package worldsettings_test

import (
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/settings"
	"stoa.dev/stoa/internal/lab/worldsettings"
)

// TestEverySettingHasItsRule walks all settings: a text, list or object is the operator's but for the few that are
// named here, and so are switches and numbers that loosen.
func TestEverySettingHasItsRule(t *testing.T) {
	t.Parallel()
	texts := []string{
		"scope_base", "packages.python", "generate.safety_threshold", "calendar.conference_url", "device.verification_url",
	}
	loosening := []string{
		"kms.tcp", "pipelines.run_foreign", "packages.discover", "pipelines.sandbox.network",
		"generate.code_execution.sandbox.network", "pipelines.sandbox.first_user", "identity.oidc.trust_email",
	}
	config := app.DefaultConfig()
	seen := map[string]bool{}
	for _, s := range settings.Describe(&config) {
		seen[s.Name] = true
		rule := worldsettings.RuleOf(s)
		plain := slices.Contains([]string{"whole number", "number", "duration", "date", "true or false"}, s.Type)
		switch {
		case s.Name == "offline" || s.Name == "packages.offline":
			if rule != worldsettings.OnlyTrue {
				t.Errorf("%s has the rule %d", s.Name, rule)
			}
		case slices.Contains(loosening, s.Name) || !plain && !slices.Contains(texts, s.Name):
			if rule != worldsettings.Operator {
				t.Errorf("a world may set %s, a %s", s.Name, s.Type)
			}
		}
	}
	for _, name := range append(texts, loosening...) {
		if !seen[name] {
			t.Errorf("there is no setting %s", name)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	online, offline := app.DefaultConfig(), app.DefaultConfig()
	online.Offline, offline.Offline = false, true
	shorter := online
	shorter.APIKeys.MaxDays = 60
	for _, row := range []struct {
		config   string
		operator app.Config
		refused  string
	}{
		{`{"tasks":{"max_lists":3},"device":{"code_ttl":"1m"}}`, online, ""},
		{`{"offline":true}`, online, ""},
		{`{"offline":false}`, online, ""},
		{`{"labels":{"field":{"date_min":"2001-01-01"}}}`, online, ""},
		{`{"scope_base":"https://scopes.example/"}`, online, ""},
		{`{}`, online, ""},
		{`{"offline":false}`, offline, "offline can be set to true"},
		{`{"offline":null}`, offline, "offline is a true or false"},
		{`{"offline":"false"}`, offline, "offline can be set to true"},
		{`{"pipelines":{"executor":"host"}}`, online, "pipelines.executor is the operator's"},
		{`{"pipelines":{"executor":"host"},"pipelines":{"lease":"1m"}}`, online, ""}, // the last one counts, and is kept
		{`{"pipelines":{"<<":{"executor":"host"}}}`, online, "pipelines.<< is not a setting"},
		{`{"pipelines":null}`, online, "pipelines is not a setting"},
		{`{"forge":{"git":"/tmp/x"}}`, online, "forge.git is the operator's"},
		{`{"deliver":{"allow":["0.0.0.0/0"]}}`, online, "deliver.allow is the operator's"},
		{`{"generate":{"code_execution":{"sandbox":{"network":true}}}}`, online, "network is the operator's"},
		{`{"listen":{"http":":1"}}`, online, "listen.http is the operator's"},
		{`{"tasks":{"max_lsts":3}}`, online, "tasks.max_lsts is not a setting"},
		{`{"labels":{"max_fields":-1}}`, online, "labels.max_fields must be above 0"},
		{`{"apikeys":{"default_days":70}}`, shorter, "apikeys.default_days"},
		{`{"tasks":{"max_lists":[3]}}`, online, "tasks.max_lists is a whole number"},
		{`{"tasks":{"max_lists":"many"}}`, online, "max_lists"},
		{`[]`, online, "give an object"},
		{`null`, online, "give an object"},
		{`{} {}`, online, "give an object"},
	} {
		kept, err := worldsettings.Check([]byte(row.config), row.operator)
		if row.refused == "" && (err != nil || strings.Contains(string(kept), "executor")) {
			t.Errorf("%s: %s, %v", row.config, kept, err)
		}
		if row.refused != "" && (err == nil || !strings.Contains(err.Error(), row.refused)) {
			t.Errorf("%s: %v, want %q", row.config, err, row.refused)
		}
	}
}
