package origins_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/cli/origins"
	"stoa.dev/stoa/internal/app/settings"
)

// bad are values that some setting of the type refuses each.
func bad(words string) []string {
	switch words {
	case "whole number", "number":
		return []string{"-1", "0", "99999999999"}
	case "duration":
		return []string{"-1s", "0", "999999h"}
	case "text":
		return []string{"-1", "nonsense"}
	case "true or false":
		return []string{"true"}
	}
	return []string{"[nonsense]", "[-1]", "[{}]", "{a: b}"}
}

// document is a file in which the setting stands on the last line, below others of its section.
func document(path, value string) string {
	var text strings.Builder
	text.WriteString("# a comment\noffline: false\n")
	indent := ""
	parts := strings.Split(path, ".")
	for _, section := range parts[:len(parts)-1] {
		fmt.Fprintf(&text, "%s%s:\n", indent, section)
		indent += "  "
	}
	fmt.Fprintf(&text, "%s%s: %s\n", indent, parts[len(parts)-1], value)
	return text.String()
}

// refusal is why the configuration is refused, empty when it is not or cannot be read at all.
func refusal(file string, environ []string) string {
	c, err := app.LoadConfig(file, environ)
	if err != nil {
		return ""
	}
	if err := c.Validate(); err != nil {
		return err.Error()
	}
	return ""
}

// Every setting that can have a bad value is found where it was given, whatever its package says.
func TestEveryBadValueIsLocated(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "stoa.yaml")
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	defaults := app.DefaultConfig()
	refused := map[string]bool{}
	for _, setting := range settings.Describe(&defaults) {
		for _, value := range bad(setting.Type) {
			text := document(setting.Name, value)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if message := refusal(file, nil); message != "" {
				refused[setting.Name] = true
				want := fmt.Sprintf("%s:%d: ", file, strings.Count(text, "\n"))
				if got := origins.Locate(message, file, nil, flags); !strings.Contains(got, want) {
					t.Errorf("%s = %s: %q, want %q in it", setting.Name, value, got, want)
				}
			}
			environ := []string{setting.Variable + "=" + value}
			if message := refusal("", environ); message != "" {
				if got := origins.Locate(message, "", environ, flags); !strings.Contains(got, setting.Variable+": ") {
					t.Errorf("%s = %s: %q, want the variable in it", setting.Variable, value, got)
				}
			}
		}
	}
	if len(refused) < 100 {
		t.Errorf("%d settings refused a value, want 100 or more: the test tries the wrong values", len(refused))
	}
}

func TestLocate(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "stoa.yaml")
	text := "workers: 300\nlisten:\n  http: there\n  cert_file: a\n" +
		"snapshots:\n  min_side: 9\n  max_side: 8\n  bases:\n  - b\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for message, want := range map[string]string{
		"configuration: workers must be 1 to 256, not 300": "configuration: FILE:1: workers must be 1 to 256, not 300",
		"configuration:\nworkers must be 1\nlisten.cert_file and listen.key_file belong together": "configuration:\n" +
			"FILE:1: workers must be 1\nFILE:4, STOA_LISTEN_KEY_FILE: listen.cert_file and listen.key_file belong together",
		"snapshots.min_side and max_side rise":        "FILE:6, FILE:7: snapshots.min_side and max_side rise",
		`snapshots.bases: "b" is not an address`:      `FILE:9: snapshots.bases: "b" is not an address`,
		`listen.http: "there" is not HOST:PORT`:       `--listen: listen.http: "there" is not HOST:PORT`,
		"FILE:1: worker is not a setting":             "FILE:1: worker is not a setting",
		`console.session_ttl must be above "workers"`: `console.session_ttl must be above "workers"`,
		"the machine has too few workers for this":    "the machine has too few workers for this",
	} {
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.String("listen", "", "")
		if err := flags.Parse([]string{"--listen", "there"}); err != nil {
			t.Fatal(err)
		}
		message, want = strings.ReplaceAll(message, "FILE", file), strings.ReplaceAll(want, "FILE", file)
		want = strings.ReplaceAll(want, "KEY_"+file, "KEY_FILE")
		got := origins.Locate(message, file, []string{"STOA_LISTEN_KEY_FILE=b"}, flags)
		if got != want {
			t.Errorf("%q: got\n%s\nwant\n%s", message, got, want)
		}
	}
}
