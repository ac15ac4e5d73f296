package product_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/program"
)

// TestPackagedConfiguration: the settings that the packages bring are settings
// of this version and make sense together.
func TestPackagedConfiguration(t *testing.T) {
	t.Parallel()
	root, _ := build(t)
	config, err := app.LoadConfig(filepath.Join(root, "packaging", "stoa.yaml"), nil)
	if err != nil || config.Validate() != nil || config.Data != "/var/lib/stoa" {
		t.Errorf("packaging/stoa.yaml: %v, %v, data %q", err, config.Validate(), config.Data)
	}

	var compose struct {
		Services map[string]struct {
			Environment map[string]string `yaml:"environment"`
		} `yaml:"services"`
	}
	decode(t, root, "packaging/compose.yaml", &compose)
	for _, name := range []string{"one", "two"} {
		environ := pairs(compose.Services[name].Environment)
		for n := range environ {
			environ[n] = regexp.MustCompile(`\$\{[A-Z_]+:\?[^}]*\}`).ReplaceAllString(environ[n], "secret")
		}
		if len(environ) == 0 {
			t.Errorf("compose: %s has no settings", name)
		}
		known(t, "compose: "+name, environ)
	}
	known(t, "Dockerfile", regexp.MustCompile(`STOA_[A-Z_]+=\S+`).FindAllString(read(t, root, "packaging/Dockerfile"), -1))
}

// TestUnitLetsTheSandboxRun: bubblewrap needs a netlink socket and a /proc that
// nothing covers, and the whole unit has bounds.
func TestUnitLetsTheSandboxRun(t *testing.T) {
	t.Parallel()
	root, _ := build(t)
	unit := read(t, root, "packaging/stoa.service")
	for _, setting := range []string{"ProtectKernelTunables=", "ProtectKernelLogs=", "ProtectProc=", "ProcSubset="} {
		if strings.Contains(unit, "\n"+setting) {
			t.Errorf("%s covers a part of /proc: bubblewrap cannot mount its own", setting)
		}
	}
	if !regexp.MustCompile(`\nRestrictAddressFamilies=.*AF_NETLINK`).MatchString(unit) {
		t.Error("AF_NETLINK is not allowed: bubblewrap cannot turn its loopback on")
	}
	for _, setting := range []string{"MemoryMax=", "TasksMax=", "LimitNOFILE="} {
		if !strings.Contains(unit, "\n"+setting) {
			t.Errorf("the unit has no %s", setting)
		}
	}
}

// TestUnitMayReadItsSettings: the package installs them for root alone, and the service is another user.
func TestUnitMayReadItsSettings(t *testing.T) {
	t.Parallel()
	root, _ := build(t)
	unit := read(t, root, "packaging/stoa.service")
	if !strings.Contains(read(t, root, "tools/release/debian.go"), `{"./etc/stoa/stoa.yaml", 0o600,`) {
		t.Fatal("the package installs the settings in another way")
	}
	for _, line := range []string{
		"DynamicUser=yes", "LoadCredential=stoa.yaml:/etc/stoa/stoa.yaml",
		"ExecStart=/usr/bin/stoa serve --config ${CREDENTIALS_DIRECTORY}/stoa.yaml",
	} {
		if !strings.Contains(unit, "\n"+line+"\n") {
			t.Errorf("the unit has no line %s", line)
		}
	}
}

// known fails for variables that are no settings, or bad ones.
func known(t *testing.T, where string, environ []string) {
	t.Helper()
	config, err := app.LoadConfig("", environ)
	if err == nil {
		err = config.Validate()
	}
	if err != nil {
		t.Errorf("%s: %v", where, err)
	}
	for i, entry := range environ {
		without := append(append([]string{}, environ[:i]...), environ[i+1:]...)
		other, err := app.LoadConfig("", without)
		if err != nil {
			t.Fatal(err)
		}
		if same(config, other) {
			t.Errorf("%s: %s changes nothing", where, entry)
		}
	}
}

func same(a, b app.Config) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func pairs(values map[string]string) []string {
	var out []string
	for name, value := range values {
		if strings.HasPrefix(name, "STOA_") {
			out = append(out, name+"="+value)
		}
	}
	return out
}

// TestYAML: what other programs read is at least well formed, and names files
// that exist.
func TestYAML(t *testing.T) {
	t.Parallel()
	root, _ := build(t)
	for _, name := range []string{
		".goreleaser.yaml", "examples/ci/client.yaml", "packaging/helm/stoa/Chart.yaml", "packaging/helm/stoa/values.yaml",
	} {
		var any map[string]any
		decode(t, root, name, &any)
	}
	for _, found := range regexp.MustCompile(`packaging/[A-Za-z.]+`).FindAllString(read(t, root, ".goreleaser.yaml"), -1) {
		if _, err := os.Stat(filepath.Join(root, found)); err != nil {
			t.Errorf(".goreleaser.yaml: %v", err)
		}
	}
	var encryption struct {
		Kind      string `yaml:"kind"`
		Resources []struct {
			Providers []map[string]map[string]any `yaml:"providers"`
		} `yaml:"resources"`
	}
	decode(t, root, "examples/kubernetes/encryption-configuration.yaml", &encryption)
	if encryption.Kind != "EncryptionConfiguration" || encryption.Resources[0].Providers[0]["kms"]["apiVersion"] != "v2" {
		t.Errorf("the encryption configuration is %+v", encryption)
	}
}

func decode(t *testing.T, root, name string, out any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, root, name)), out); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// TestManualPage: the page names every command, and the formatter has nothing
// to complain about.
func TestManualPage(t *testing.T) {
	t.Parallel()
	_, binary := build(t)
	page, err := exec.CommandContext(t.Context(), binary, "man").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range app.Commands() {
		if !strings.Contains(string(page), ".SS stoa "+strings.ReplaceAll(c.Path, "-", `\-`)) {
			t.Errorf("stoa %s is not in the manual", c.Path)
		}
	}
	if _, err := exec.LookPath("groff"); err != nil {
		t.Log("groff is not installed: the page is not formatted")
		return
	}
	format := exec.CommandContext(t.Context(), "groff", "-man", "-ww", "-z", "-Kutf8")
	format.Stdin = bytes.NewReader(page)
	if out, err := format.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("groff: %v\n%s", err, out)
	}
}

// TestBill: the bill of materials names what is in the binary.
func TestBill(t *testing.T) {
	t.Parallel()
	root, binary := build(t)
	command := exec.CommandContext(t.Context(), "go", "run", "./packaging/sbom", binary)
	command.Dir = root
	// With the flags of make build what it needs is compiled already.
	command.Env = append(os.Environ(), program.GoFlags(), "CGO_ENABLED=0")
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var bill struct {
		Format     string `json:"bomFormat"`
		Components []struct{ Name, Version, PURL string }
	}
	if err := json.Unmarshal(out, &bill); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, c := range bill.Components {
		found = found ||
			c.Name == "modernc.org/sqlite" && c.Version != "" && strings.HasPrefix(c.PURL, "pkg:golang/modernc.org/sqlite@v")
	}
	if bill.Format != "CycloneDX" || !found {
		t.Errorf("%s with %d components, none of them SQLite", bill.Format, len(bill.Components))
	}
}

// TestCompletions: every shell gets a script that its shell can read.
func TestCompletions(t *testing.T) {
	t.Parallel()
	_, binary := build(t)
	for _, shell := range []string{"bash", "zsh", "fish"} {
		out, err := exec.CommandContext(t.Context(), binary, "completion", shell).Output()
		if err != nil || !strings.Contains(string(out), "stoa") {
			t.Errorf("%s: %v", shell, err)
			continue
		}
		if _, err := exec.LookPath(shell); err != nil || shell == "fish" {
			continue
		}
		check := exec.CommandContext(t.Context(), shell, "-n")
		check.Stdin = bytes.NewReader(out)
		if said, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s -n: %v\n%s", shell, err, said)
		}
	}
}
