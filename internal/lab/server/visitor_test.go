package server_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"html"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
)

// visitor asks a world at one of its addresses and collects every link in the
// answers.
type visitor struct {
	// publicHosts says that answers of services name the hosts that official clients expect.
	publicHosts bool
	t           *testing.T
	base        string
	own         []string // hosts of the lab and the world
	env         map[string]string
	client      *http.Client
	links       map[string]string // and where each was found
	seen        map[string]bool
}

// newVisitor has a cookie jar, trusts the lab's authority, and follows no redirect.
func newVisitor(t *testing.T, base string, world map[string]any) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	pem, err := os.ReadFile(world["caFile"].(string))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		_, port, err := net.SplitHostPort(address) // what is below localhost is this machine, whatever its resolver says
		if err != nil {
			return nil, err
		}
		return new(net.Dialer).DialContext(ctx, network, "127.0.0.1:"+port)
	}
	t.Cleanup(transport.CloseIdleConnections)
	v := &visitor{t: t, base: base, env: map[string]string{}, links: map[string]string{}, seen: map[string]bool{}}
	v.client = &http.Client{Jar: jar, Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	for name, value := range world["env"].(map[string]any) {
		v.env[name] = value.(string)
	}
	for _, address := range []string{world["url"].(string), world["prefixUrl"].(string)} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		v.own = append(v.own, u.Host)
	}
	return v
}

// send makes a request with every credential that a service may ask for.
func (v *visitor) send(method, address string, form url.Values) *http.Response {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	} else {
		for name, variable := range map[string]string{
			"SVC-API-KEY": "STOA_API_KEY", "SVC-APPLICATION-KEY": "STOA_APP_KEY",
			"Pipeline-Token": "STOA_PIPELINE_TOKEN", "X-Vendor-Api-Key": "STOA_MODEL_KEY",
		} {
			r.Header.Set(name, v.env[variable])
		}
		r.Header.Set("Authorization", "Bearer "+v.env["STOA_TOKEN"])
	}
	response, err := v.client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	return response
}

// visit reads an answer and collects its links.
func (v *visitor) visit(address string) (status int, body []byte) {
	v.t.Helper()
	if v.seen[address] {
		return 0, nil
	}
	v.seen[address] = true
	response := v.send("GET", address, nil)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatalf("%s: %v", address, err)
	}
	here, err := url.Parse(address)
	if err != nil {
		v.t.Fatal(err)
	}
	add := func(link string) {
		to, err := here.Parse(link)
		if err != nil {
			v.t.Errorf("%s has the link %q: %v", address, link, err)
			return
		}
		if to.Fragment = ""; to.Scheme == "http" || to.Scheme == "https" {
			v.links[to.String()] = address
		}
	}
	if location := response.Header.Get("Location"); location != "" {
		add(location)
	}
	for _, header := range response.Header.Values("Link") {
		for _, found := range regexp.MustCompile(`<([^>]+)>`).FindAllStringSubmatch(header, -1) {
			add(found[1])
		}
	}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case kind == "text/html":
		for _, found := range regexp.MustCompile(`\s(?:href|src|action)="([^"]*)"`).FindAllSubmatch(body, -1) {
			add(html.UnescapeString(string(found[1])))
		}
	case strings.HasSuffix(kind, "json"):
		var document any
		if err := json.Unmarshal(body, &document); err != nil {
			v.t.Errorf("%s: %v", address, err)
		}
		texts(document, func(text string) {
			if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
				if strings.Contains(text, "{") {
					v.template(text)
					return
				}
				add(text)
			}
		})
	default:
		for _, found := range regexp.MustCompile(`https?://[^\s"'<>]+`).FindAll(body, -1) {
			add(string(found))
		}
	}
	return response.StatusCode, body
}

// template checks a URI template, which leads somewhere only when it is filled in.
func (v *visitor) template(text string) {
	v.t.Helper()
	if !strings.HasPrefix(text, v.base) {
		v.t.Errorf("the template %s does not begin with %s", text, v.base)
	}
}

// texts gives every text of a JSON document to f.
func texts(document any, f func(string)) {
	switch v := document.(type) {
	case string:
		f(v)
	case []any:
		for _, one := range v {
			texts(one, f)
		}
	case map[string]any:
		for name, one := range v {
			f(name)
			texts(one, f)
		}
	}
}
