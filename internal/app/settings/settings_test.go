package settings_test

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/app/settings"
)

type config struct {
	Data   string `yaml:"data"`
	Listen struct {
		HTTP  string `yaml:"http"`
		HTTPS string `yaml:"https"`
	} `yaml:"listen"`
	Deliver struct {
		Allow  []netip.Prefix `yaml:"allow"`
		Secret string         `yaml:"secret" secret:"true"`
		Wait   time.Duration  `yaml:"wait"`
		Tries  int            `yaml:"tries"`
		On     bool           `yaml:"on"`
		Share  float64        `yaml:"share"`
	} `yaml:"deliver"`
}

func prefixes() cmp.Option {
	return cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })
}

func defaults() *config {
	var c config
	c.Data = "./stoa-data"
	c.Listen.HTTP = "127.0.0.1:8080"
	c.Deliver.Wait = time.Second
	return &c
}

func TestFileThenEnvironment(t *testing.T) {
	t.Parallel()
	got := defaults()
	file := "listen:\n  http: 127.0.0.1:1\n  https: 127.0.0.1:2\ndeliver:\n  allow: [10.0.0.0/8]\n  wait: 5s\n"
	if err := settings.ReadFile(got, "stoa.yaml", []byte(file)); err != nil {
		t.Fatal(err)
	}
	environ := []string{
		"STOA_LISTEN_HTTP=127.0.0.1:9", "STOA_DELIVER_ALLOW=10.0.0.0/8, 192.168.0.0/16",
		"STOA_DELIVER_WAIT=2m", "STOA_DELIVER_TRIES=3", "STOA_DELIVER_ON=true",
		"STOA_DELIVER_SHARE=0.5", "STOA_LISTEN_HTTPS=", "PATH=/bin",
	}
	if err := settings.ReadEnvironment(got, environ, nil); err != nil {
		t.Fatal(err)
	}

	want := defaults()
	want.Listen.HTTP, want.Listen.HTTPS = "127.0.0.1:9", "127.0.0.1:2"
	want.Deliver.Allow = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.168.0.0/16")}
	want.Deliver.Wait, want.Deliver.Tries, want.Deliver.On, want.Deliver.Share = 2*time.Minute, 3, true, 0.5
	if diff := cmp.Diff(want, got, prefixes()); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

func TestEmptyFileKeepsDefaults(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n", "# only a comment\n"} {
		got := defaults()
		if err := settings.ReadFile(got, "stoa.yaml", []byte(text)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(defaults(), got, prefixes()); diff != "" {
			t.Errorf("%q: config (-want +got):\n%s", text, diff)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()

	for name, row := range map[string]struct{ text, want string }{
		"unknown key":   {"listen:\n  htpt: x\n", "stoa.yaml:2: listen.htpt is not a setting; did you mean listen.http?"},
		"of a section":  {"listen:\n  adress: x\n", "listen.adress is not a setting; listen has http, https"},
		"far from all":  {"xyzzy: 1\n", "stoa.yaml:1: xyzzy is not a setting; stoa config explain lists them"},
		"wrong section": {"tries: 1\n", "tries is not a setting; did you mean deliver.tries?"},
		"no section":    {"listen: 5\n", "stoa.yaml:1: listen is a section"},
		"all at once": {
			"dtaa: x\nlisten:\n  htpt: x\ndeliver:\n  tries: many\n",
			"stoa.yaml:1: dtaa is not a setting; did you mean data?\nstoa.yaml:3: listen.htpt is not a setting; did you mean " +
				"listen.http?\nstoa.yaml:5: deliver.tries must be a whole number",
		},
		"not a number":  {"deliver:\n  tries: many\n", `stoa.yaml:2: deliver.tries must be a whole number, not "many"`},
		"not a choice":  {"deliver:\n  on: perhaps\n", `deliver.on must be true or false, not "perhaps"`},
		"days":          {"data: x\ndeliver:\n  wait: 90 days\n", `stoa.yaml:3: deliver.wait must be a duration such as`},
		"no range":      {"deliver:\n  allow: [10.0.0.0]\n", `deliver.allow: "10.0.0.0" is not a range of addresses, as in`},
		"no unit":       {"deliver:\n  wait: soon\n", `deliver.wait must be a duration such as 90m, 1h30m or 7d, not "soon"`},
		"not a list":    {"deliver:\n  allow: 10.0.0.0/8\n", "deliver.allow must be a list"},
		"bad item":      {"deliver:\n  allow: [nowhere]\n", "stoa.yaml:2: deliver.allow: "},
		"two mistakes":  {"deliver:\n  tries: many\n  share: half\n", `deliver.share must be a number, not "half"`},
		"empty section": {"listen:\ndata: x\n", "listen has no value"},
		"duplicate key": {"data: a\ndata: b\n", "data"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := settings.ReadFile(defaults(), "stoa.yaml", []byte(row.text))
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Fatalf("err = %v, want it to name %q", err, row.want)
			}
		})
	}

	t.Run("every bad variable at once", func(t *testing.T) {
		t.Parallel()
		err := settings.ReadEnvironment(defaults(), []string{
			"STOA_DELIVER_TRIES=x", "STOA_DELIVER_ON=perhaps", "STOA_DELIVER_WAIT=soon",
			"STOA_DELIVER_ALLOW=nowhere", "STOA_DELIVER_SHARE=half",
		}, nil)
		for _, name := range []string{"TRIES", "ON", "WAIT", "ALLOW", "SHARE"} {
			if err == nil || !strings.Contains(err.Error(), "STOA_DELIVER_"+name) {
				t.Errorf("err = %v, want it to name %s", err, name)
			}
		}
	})
}

func TestPrint(t *testing.T) {
	t.Parallel()
	c := defaults()
	c.Deliver.Secret = "hunter2"
	c.Deliver.Wait = time.Minute

	var whole strings.Builder
	if err := settings.Print(&whole, c, nil); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(whole.String(), "hunter2") {
		t.Errorf("a secret was printed:\n%s", whole.String())
	}
	for _, want := range []string{"data: ./stoa-data", "listen:\n  http: 127.0.0.1:8080", "wait: 1m"} {
		if !strings.Contains(whole.String(), want) {
			t.Errorf("missing %q in:\n%s", want, whole.String())
		}
	}

	var changed strings.Builder
	if err := settings.Print(&changed, c, defaults()); err != nil {
		t.Fatal(err)
	}
	want := "deliver:\n  secret: '********'\n  wait: 1m\n"
	if got := strings.ReplaceAll(changed.String(), `"`, `'`); got != want {
		t.Errorf("difference = %q, want %q", got, want)
	}
}

// TestDays: a duration is read in days and printed in them, from the file and the environment.
func TestDays(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"400d", `"400d"`, "9600h", "399d24h"} {
		c := defaults()
		var printed strings.Builder
		err := settings.ReadFile(c, "stoa.yaml", []byte("deliver:\n  wait: "+text+"\n"))
		err = errors.Join(err, settings.Print(&printed, c, defaults()))
		if err != nil || printed.String() != "deliver:\n  wait: 400d\n" {
			t.Errorf("%s is printed as %q, %v", text, printed.String(), err)
		}
	}
	c := defaults()
	err := settings.ReadEnvironment(c, []string{"STOA_DELIVER_WAIT=2d"}, nil)
	if err != nil || c.Deliver.Wait != 48*time.Hour {
		t.Errorf("2d is %v, %v", c.Deliver.Wait, err)
	}
}

func TestPrintMasksPasswordsInAddresses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://joe:hunter2@registry.example/npm": "https://joe:********@registry.example/npm",
		"https://joe:hun@ter2@registry.example":    "https://joe:********@registry.example",
		"https://registry.example:8443/a@b:c":      "https://registry.example:8443/a@b:c",
		"https://joe@registry.example/":            "https://joe@registry.example/",
		"plain: text":                              "plain: text",
	} {
		c := struct {
			One  string   `yaml:"one"`
			Many []string `yaml:"many"`
		}{text, []string{text}}
		var got strings.Builder
		if err := settings.Print(&got, &c, nil); err != nil {
			t.Fatal(err)
		}
		if strings.Count(got.String(), want) != 2 {
			t.Errorf("%s is printed as\n%s\nwant %s", text, got.String(), want)
		}
	}
}

func TestUnknownVariables(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]string{
		"STOA_DELIVER_TRYS=3":                  "STOA_DELIVER_TRYS is not a setting; did you mean STOA_DELIVER_TRIES?",
		"STOA_LISEN_HTTP=x":                    "did you mean STOA_LISTEN_HTTP?",
		"STOA_DTAA=x":                          "did you mean STOA_DATA?",
		"STOA_LISTEN_SOMETHING_OF_ITS_OWN=x":   "STOA_LISTEN_SOMETHING_OF_ITS_OWN is not a setting; stoa config explain",
		"STOA_LISTEN_TOKEN=x":                  "", // reserved below
		"STOA_DELIVER_TRYS=":                   "",
		"STOA_OF_ANOTHER_PROGRAM=x":            "",
		"STOA_VERSION=1.2":                     "",
		"STOA_ENV=ci":                          "",
		"STOA_LISTEN=banana":                   "STOA_LISTEN is not a setting; did you mean STOA_LISTEN_HTTP?",
		"STOA_LISTN=1":                         "did you mean STOA_LISTEN_HTTP?",
		"STOA_SERVICE_HOST=10.0.0.1":           "",
		"STOA_LISTEN_PORT_8080_TCP_ADDR=1.2.3": "",
		"STOA_PORT=tcp://10.0.0.1:8080":        "",
	} {
		err := settings.ReadEnvironment(defaults(), []string{entry}, []string{"STOA_LISTEN_TOKEN"})
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", entry, err, want)
		}
	}
}

func TestUnlikeSettings(t *testing.T) {
	t.Parallel()
	got := settings.UnlikeSettings(defaults(), []string{
		"STOA_VERSION=1.2", "STOA_BRANCH=main", "STOA_EMPTY=", "STOA_DATA=x", "STOA_DTAA=x", "STOA_LISTEN_X=1",
		"STOA_TOKEN=t", "STOA_SERVICE_HOST=10.0.0.1", "PATH=/bin",
	}, []string{"STOA_TOKEN"})
	if want := []string{"STOA_BRANCH", "STOA_VERSION"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	c := defaults()
	c.Deliver.Secret = "hunter2"
	c.Deliver.Allow = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	got := map[string]string{}
	for _, s := range settings.Describe(c) {
		got[s.Name] = s.Variable + " " + s.Type + " " + s.Value
	}
	want := map[string]string{
		"data":           "STOA_DATA text ./stoa-data",
		"listen.http":    "STOA_LISTEN_HTTP text 127.0.0.1:8080",
		"listen.https":   "STOA_LISTEN_HTTPS text ",
		"deliver.allow":  "STOA_DELIVER_ALLOW list of address ranges [10.0.0.0/8]",
		"deliver.secret": "STOA_DELIVER_SECRET text ********",
		"deliver.wait":   "STOA_DELIVER_WAIT duration 1s",
		"deliver.tries":  "STOA_DELIVER_TRIES whole number 0",
		"deliver.on":     "STOA_DELIVER_ON true or false false",
		"deliver.share":  "STOA_DELIVER_SHARE number 0.0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}
