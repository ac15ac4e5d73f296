package sdkclients

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/app/listen"
	"stoa.dev/stoa/internal/platform/module"
)

//go:embed sdks.tsv
var clientTable string

// Client is how one official client of a service is pointed at this server.
type Client struct {
	Package string
	// Line is the code that aims the client.
	Line string

	service, sdk string
	// variables are the client's own, as NAME=$VARIABLE.
	variables []string
}

// clients reads the table; a malformed row is a programming error that the first
// test finds.
func clients() []Client {
	var list []Client
	for line := range strings.Lines(clientTable) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 5 {
			panic(fmt.Sprintf("sdks.tsv: %q has %d columns, want 5", line, len(fields)))
		}
		c := Client{service: fields[0], sdk: fields[1], Package: fields[2], Line: fields[4]}
		if fields[3] != "-" {
			c.variables = strings.Fields(fields[3])
		}
		list = append(list, c)
	}
	return list
}

// Languages are those that stoa env knows.
func Languages() []string { return []string{"shell", "go", "node", "python"} }

// Of finds the client of a service in a language; a language without one gets the
// addresses and credentials alone.
func Of(service, sdk string) Client {
	list := clients()
	i := slices.IndexFunc(list, func(c Client) bool { return c.service == service && c.sdk == sdk })
	if i < 0 {
		return Client{service: service, sdk: sdk}
	}
	return list[i]
}

// Trusts are the variables by which a language's own TLS trusts the local
// authority in addition to the machine's own. Most replace the machine's roots, so
// they get the bundle that holds both; without one they are left alone.
func Trusts(sdk, ca string) map[string]string {
	if sdk == "node" {
		return map[string]string{"NODE_EXTRA_CA_CERTS": ca}
	}
	bundle := filepath.Join(filepath.Dir(ca), listen.BundleName)
	if _, err := os.Stat(bundle); err != nil {
		return nil
	}
	switch sdk {
	case "python":
		return map[string]string{"SSL_CERT_FILE": bundle, "REQUESTS_CA_BUNDLE": bundle}
	case "go":
		return map[string]string{"SSL_CERT_FILE": bundle}
	}
	return map[string]string{"CURL_CA_BUNDLE": bundle}
}

// Variables are those that the client reads of a module: those of the module's example,
// and the client's own made from them.
func (c Client) Variables(m module.Module, env map[string]string) map[string]string {
	out := map[string]string{}
	take := func(name string) {
		if value := env[name]; value != "" {
			out[name] = value
		}
	}
	for _, name := range []string{"STOA_URL", "STOA_HTTPS_URL", "STOA_CA_FILE", m.Example.Credential} {
		take(name)
	}
	for _, name := range mentioned(m.Example.Shell + " " + strings.Join(c.variables, " ") + " " + c.Line) {
		take(name)
	}
	for _, v := range c.variables {
		name, from, _ := strings.Cut(v, "=$")
		if value := env[from]; value != "" {
			out[name] = value
		}
	}
	return out
}

// mentioned lists the STOA_ names in a text.
func mentioned(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && (r < 'A' || r > 'Z')
	})
	return slices.DeleteFunc(words, func(w string) bool { return !strings.HasPrefix(w, "STOA_") })
}
