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
	"os"
	"os/exec"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
)

// call is one request as a story writes it.
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
		Transport: &http.Transport{
			DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12},
		},
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

// cmdHTTPS trusts the authority that demo.env names only.
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

// cmdCurls proves that the examples `serve --demo` prints work as printed: each
// goes to a shell as a newcomer would paste it, with curl told to fail on an
// error status.
func cmdCurls(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: curls AT_LEAST")
	}
	least, err := strconv.Atoi(args[0])
	ts.Check(err)
	if _, err := exec.LookPath("curl"); err != nil {
		if os.Getenv("CI") == "true" {
			ts.Fatalf("curl is not installed: run make setup")
		}
		ts.Logf("curl is not installed; the printed lines are not tried")
		return
	}
	ran := 0
	lines, err := exec.Command(on(ts).binary, "env", "--data", ts.Getenv("DATA")).Output()
	ts.Check(err)
	for line := range strings.Lines(string(lines)) {
		line = strings.TrimSpace(line)
		rest, ok := strings.CutPrefix(line, "curl ")
		if !ok {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		out, err := exec.CommandContext(ctx, "sh", "-c", "curl -sS --fail-with-body "+rest).CombinedOutput()
		cancel()
		fmt.Fprintf(ts.Stdout(), "%s\n", printable(out))
		if err != nil {
			ts.Fatalf("%s\nends with %v and prints %s", line, err, printable(out))
		}
		ran++
	}
	if ran < least {
		ts.Fatalf("stoa env printed %d curl lines, want at least %d", ran, least)
	}
}

// printable keeps pictures out of the story's output.
func printable(out []byte) string {
	if !utf8.Valid(out) {
		return fmt.Sprintf("%d bytes", len(out))
	}
	return string(out)
}

// cmdSlow sends a request except for the last byte of its body. It waits for
// the server's 100 Continue first: that is the moment a handler has begun to
// read the body, so the server is now in the middle of the request.
func cmdSlow(ts *testscript.TestScript, _ bool, args []string) {
	c, err := parseCall(args)
	ts.Check(err)
	c.header.Set("Expect", "100-continue")
	r, err := c.request(context.Background())
	ts.Check(err)
	var text bytes.Buffer
	ts.Check(r.Write(&text))
	head, body, ok := bytes.Cut(text.Bytes(), []byte("\r\n\r\n"))
	if !ok || len(body) == 0 {
		ts.Fatalf("slow needs a body: -d")
	}
	s := on(ts)
	s.held, err = net.DialTimeout("tcp", r.URL.Host, 5*time.Second)
	ts.Check(err)
	ts.Defer(func() { s.held.Close() })
	ts.Check(s.held.SetDeadline(time.Now().Add(endsWithin)))
	_, err = s.held.Write(append(head, "\r\n\r\n"...))
	ts.Check(err)
	s.answers = bufio.NewReader(s.held)
	line, err := s.answers.ReadString('\n')
	ts.Check(err)
	if !strings.Contains(line, " 100 ") {
		ts.Fatalf("the server answers %q before it has the body", line)
	}
	_, err = s.answers.ReadString('\n')
	ts.Check(err)
	_, err = s.held.Write(body[:len(body)-1])
	ts.Check(err)
	s.last = body[len(body)-1:]
}

func cmdFinish(ts *testscript.TestScript, _ bool, _ []string) {
	s := on(ts)
	if s.held == nil {
		ts.Fatalf("nothing is held back: use slow first")
	}
	_, err := s.held.Write(s.last)
	ts.Check(err)
	response, err := http.ReadResponse(s.answers, nil)
	ts.Check(err)
	defer response.Body.Close()
	ts.Check(call{}.show(ts.Stdout(), response))
}
