package stories_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"stoa.dev/stoa/test/program"
)

// call is one request as a story or a printed curl line writes it.
type call struct {
	method, url string
	header      http.Header
	body        string
	status      int // 0 accepts every status
}

// parseCall reads the arguments of http and slow.
func parseCall(args []string) (call, error) {
	c := call{header: http.Header{}}
	var rest []string
	for i := 0; i < len(args); i++ {
		option := args[i]
		if !strings.HasPrefix(option, "-") {
			rest = append(rest, option)
			continue
		}
		i++
		if i == len(args) {
			return c, fmt.Errorf("%s needs a value", option)
		}
		switch option {
		case "-H":
			name, value, _ := strings.Cut(args[i], ":")
			c.header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
		case "-d":
			c.body = args[i]
		case "-status":
			n, err := strconv.Atoi(args[i])
			if err != nil {
				return c, err
			}
			c.status = n
		default:
			return c, fmt.Errorf("unknown option %s", option)
		}
	}
	if len(rest) != 2 {
		return c, fmt.Errorf("want METHOD URL, got %q", rest)
	}
	c.method, c.url = rest[0], rest[1]
	return c, nil
}

// request builds the request. A body without a type is JSON.
func (c call) request(ctx context.Context) (*http.Request, error) {
	var body io.Reader
	if c.body != "" {
		body = strings.NewReader(c.body)
	}
	r, err := http.NewRequestWithContext(ctx, c.method, c.url, body)
	if err != nil {
		return nil, err
	}
	r.Header = c.header.Clone()
	if c.body != "" && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, nil
}

// do sends the request and prints the answer as curl -i would. trusted holds
// the roots of an HTTPS call; nil means the system's.
func (c call) do(out io.Writer, trusted *x509.CertPool) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	r, err := c.request(ctx)
	if err != nil {
		return err
	}
	// A fresh connection per call: a story must not lean on an earlier one.
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return c.show(out, response)
}

func (c call) show(out io.Writer, response *http.Response) error {
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, response.Status)
	names := make([]string, 0, len(response.Header))
	for name := range response.Header {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(out, "%s: %s\n", name, strings.Join(response.Header[name], ", "))
	}
	fmt.Fprintf(out, "\n%s\n", body)
	if c.status != 0 && response.StatusCode != c.status {
		return fmt.Errorf("%s %s: got %s, want %d\n%s", c.method, c.url, response.Status, c.status, body)
	}
	return nil
}

func cmdHTTP(ts *testscript.TestScript, neg bool, args []string) { send(ts, neg, args, nil) }

// cmdHTTPS trusts the authority that demo.env names and nobody else.
func cmdHTTPS(ts *testscript.TestScript, neg bool, args []string) {
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM([]byte(ts.ReadFile(ts.Getenv("STOA_CA_FILE")))) {
		ts.Fatalf("STOA_CA_FILE holds no certificate")
	}
	send(ts, neg, args, trusted)
}

func send(ts *testscript.TestScript, neg bool, args []string, trusted *x509.CertPool) {
	c, err := parseCall(args)
	ts.Check(err)
	var out bytes.Buffer
	err = c.do(&out, trusted)
	fmt.Fprint(ts.Stdout(), out.String())
	if neg != (err != nil) {
		ts.Fatalf("http: %v", err)
	}
}

// cmdJSON reads a member of the last output: the object after the blank line
// of an answer, or the whole output of a command. data.apiKey goes deeper.
func cmdJSON(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: json PATH VAR")
	}
	text := ts.ReadFile("stdout")
	if i := strings.Index(text, "{"); i >= 0 {
		text = text[i:]
	}
	var value any
	ts.Check(json.NewDecoder(strings.NewReader(text)).Decode(&value))
	for _, name := range strings.Split(args[0], ".") {
		object, _ := value.(map[string]any)
		if object[name] == nil {
			ts.Fatalf("%s has no member %s: %s", args[0], name, text)
		}
		value = object[name]
	}
	ts.Setenv(args[1], fmt.Sprint(value))
}

// cmdCurls proves that the examples `serve --demo` prints work as printed. It
// reads curl's options itself, so that a machine without curl proves it too.
func cmdCurls(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: curls AT_LEAST")
	}
	least, err := strconv.Atoi(args[0])
	ts.Check(err)
	ran := 0
	for line := range strings.Lines(running(ts).Output()) {
		i := strings.Index(line, "curl ")
		if i < 0 {
			continue
		}
		c, err := parseCurl(strings.TrimSpace(line[i:]), ts.Getenv)
		ts.Check(err)
		var out bytes.Buffer
		ts.Check(c.do(&out, nil))
		fmt.Fprint(ts.Stdout(), out.String())
		if !strings.HasPrefix(out.String(), "2") {
			ts.Fatalf("%s\nanswers %s", strings.TrimSpace(line), out.String())
		}
		ran++
	}
	if ran < least {
		ts.Fatalf("the server printed %d curl lines, want at least %d", ran, least)
	}
}

// parseCurl understands what the printed examples use.
func parseCurl(line string, getenv func(string) string) (call, error) {
	words, err := program.Words(line)
	if err != nil {
		return call{}, err
	}
	c := call{method: http.MethodGet, header: http.Header{}}
	for i := 1; i < len(words); i++ {
		word := words[i]
		switch word {
		case "-s", "-S", "-f", "-i", "-sS", "-fsS", "-sf", "--silent", "--fail":
			continue
		case "-H", "--header", "-d", "--data", "-X", "--request", "--json":
			if i++; i == len(words) {
				return c, fmt.Errorf("%s needs a value", word)
			}
			c.option(word, expand(words[i], getenv))
		default:
			if strings.HasPrefix(word, "-") || c.url != "" {
				return c, fmt.Errorf("curl: %q is not understood in %q", word, line)
			}
			c.url = expand(word, getenv)
		}
	}
	if _, err := url.ParseRequestURI(c.url); err != nil {
		return c, fmt.Errorf("%q: %w", line, err)
	}
	return c, nil
}

func (c *call) option(name, value string) {
	switch name {
	case "-H", "--header":
		key, text, _ := strings.Cut(value, ":")
		c.header.Add(strings.TrimSpace(key), strings.TrimSpace(text))
	case "-d", "--data", "--json":
		c.body = value
		if c.method == http.MethodGet {
			c.method = http.MethodPost
		}
		if name != "--json" && c.header.Get("Content-Type") == "" {
			c.header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
	case "-X", "--request":
		c.method = value
	}
	// A type named by the line wins over curl's own, whatever the order.
	if types := c.header["Content-Type"]; len(types) > 1 {
		c.header.Set("Content-Type", types[len(types)-1])
	}
}

// expand replaces $NAME from demo.env, as the shell would.
func expand(word string, getenv func(string) string) string {
	var out strings.Builder
	for {
		i := strings.IndexByte(word, '$')
		if i < 0 {
			return out.String() + word
		}
		out.WriteString(word[:i])
		word = word[i+1:]
		n := 0
		for n < len(word) && (word[n] == '_' || word[n] >= 'A' && word[n] <= 'Z' || word[n] >= '0' && word[n] <= '9') {
			n++
		}
		out.WriteString(getenv(word[:n]))
		word = word[n:]
	}
}

// cmdSlow sends a request except for the last byte of its body: the server is
// now in the middle of it.
func cmdSlow(ts *testscript.TestScript, _ bool, args []string) {
	c, err := parseCall(args)
	ts.Check(err)
	r, err := c.request(context.Background())
	ts.Check(err)
	var text bytes.Buffer
	ts.Check(r.Write(&text))
	s := on(ts)
	s.held, err = net.DialTimeout("tcp", r.URL.Host, 5*time.Second)
	ts.Check(err)
	ts.Defer(func() { s.held.Close() })
	whole := text.Bytes()
	_, err = s.held.Write(whole[:len(whole)-1])
	ts.Check(err)
	s.last = whole[len(whole)-1:]
}

func cmdFinish(ts *testscript.TestScript, _ bool, _ []string) {
	s := on(ts)
	if s.held == nil {
		ts.Fatalf("nothing is held back: use slow first")
	}
	ts.Check(s.held.SetDeadline(time.Now().Add(endsWithin)))
	_, err := s.held.Write(s.last)
	ts.Check(err)
	response, err := http.ReadResponse(bufio.NewReader(s.held), nil)
	ts.Check(err)
	defer response.Body.Close()
	ts.Check(call{}.show(ts.Stdout(), response))
}
