package deliver_test

import (
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/deliver/delivertest"
	"stoa.dev/stoa/internal/platform/fuzztest"
)

// forbidden lists hosts that lead, or may lead, away from public addresses. PORT is a listener that must see no
// connection.
func forbidden() []string {
	return []string{
		// Loopback and this host.
		"127.0.0.1", "127.0.0.2", "127.1.2.3", "127.255.255.254", "0.0.0.0", "0.1.2.3", "[::1]", "[::]", "[0:0:0:0:0:0:0:1]",
		"[0000:0000:0000:0000:0000:0000:0000:0001]", "localhost", "LOCALHOST", "localhost.", "a.localhost",
		"localhost.localdomain", "ip6-localhost", "loopback.example", "loopback.example.", "LOOPBACK.EXAMPLE",
		// Other spellings of loopback.
		"127.1", "127.0.1", "2130706433", "017700000001", "0177.0.0.1", "0177.0.0.01", "0x7f.0.0.1", "0x7f.1", "0x7f000001",
		"0X7F000001", "0x7F.0x00.0x00.0x01", "127.0.0.01", "127.0.0.001", "127.000.000.001", "0127.0.0.1", "00000177.0.0.1",
		"127.0.0.1.", "127.0.0.0x1", "4294967297", "0", "00", "0x0", "1", "127.0.0.1.1", "0.0.0.0.", "127..0.1", ".127.0.0.1",
		"-1", "127.0.0.-1",
		// Private and shared ranges.
		"10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.254", "192.168.0.1", "192.168.255.255", "100.64.0.1",
		"100.127.255.254", "[fc00::1]", "[fd00::1]", "[fd12:3456:789a::1]", "[fdff:ffff::1]", "[fec0::1]",
		// Link-local and metadata services.
		"169.254.169.254", "169.254.0.1", "169.254.170.2", "[fe80::1]", "[fe80::a9fe:a9fe]", "[fd00:ec2::254]",
		"metadata.google.internal", "2852039166", "0xa9fea9fe", "0xA9.0xFE.0xA9.0xFE", "0251.0376.0251.0376", "169.254.43518",
		"192.0.0.192", "100.100.100.200",
		// IPv4 inside IPv6.
		"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::FFFF:7F00:0001]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::ffff:10.0.0.1]",
		"[::ffff:169.254.169.254]", "[::ffff:8.8.8.8]", "[::127.0.0.1]", "[::7f00:1]", "[::ffff:0:127.0.0.1]",
		"[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b::10.0.0.1]", "[64:ff9b:1::1]", "[64:ff9b::a9fe:a9fe]",
		"[2002:7f00:1::]", "[2002:a00:1::]", "[2002:a9fe:a9fe::]", "[2001::1]", "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
		// Documentation, benchmarks, multicast, reserved, broadcast, protocol.
		"192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "198.19.255.255", "192.0.0.1", "192.88.99.1", "224.0.0.1",
		"239.255.255.255", "240.0.0.1", "255.255.255.255", "[2001:db8::1]", "[3fff::1]", "[ff02::1]", "[ff05::2]", "[100::1]",
		"[5f00::1]", "[2001:2::1]", "[2001:10::1]", "[4000::1]", "[8000::1]", "[::2]",
		// Zones.
		"[fe80::1%25lo]", "[fe80::1%25eth0]", "[::1%25lo]", "[::1%25]", "[::1%lo]",
		// Characters that some parsers read otherwise.
		"①②⑦.⓪.⓪.①", "127。0。0。1", "127.0.0.1\u3002", "loc\u0430lhost", "ｌｏｃａｌｈｏｓｔ", "127.0.0.1%00.example.com",
		"127.0.0.1%2eexample.com", "127.0.0.1\\.example.com", "127.0.0.1\t", "127.0.0.1 ", "127.0.0.1\n", "local\u00adhost",
		"xn--", "xn--a.localhost", "a..b", "a-.example", "-a.example", "exa mple.com", "exam\x00ple.com", "[127.0.0.1]",
		"[::1", "::1", "[::1]]", "[]", "[v1.x]", "*", "a,b", "a;b", "a'b",
		strings.Repeat("a", 64) + ".example", strings.Repeat("a.", 127) + "example",
	}
}

// malformed are whole addresses that are refused for their form.
func malformed(host, port string) []string {
	at := host + ":" + port
	return []string{
		"http://" + at + "/", "HTTP://" + at + "/", "ftp://" + at + "/", "file:///etc/passwd", "gopher://" + at + "/",
		"unix:///run/x.sock", "//" + at + "/", at + "/", "/path", "", "https:", "https:/", "https://", "https:///path",
		"https:" + at, "https://:" + port + "/", "https://user@" + at + "/", "https://user:pass@" + at + "/",
		"https://@" + at + "/", "https://example.com@" + at + "/", "https://" + at + "#@example.com/",
		"https://example.com\\@" + at + "/", "https://example.com:" + port + "\\@" + host + "/", "https://" + at + "/ x",
		"https://" + at + "/\r\nHost: x", "https://" + host + ":/", "https://" + host + ":0/", "https://" + host + ":65536/",
		"https://" + host + ":+443/", "https://" + host + ":0443/", "https://" + host + ":x/",
		"https://" + host + ":" + port + ":" + port + "/", "javascript:alert(1)", "data:text/plain,x", " https://" + at + "/",
		"https://" + at + "/\x7f", "https://" + at + "/" + strings.Repeat("a", 9000), "h\ttps://" + at + "/",
		"https\x00://" + at,
	}
}

func TestForbiddenAddresses(t *testing.T) {
	t.Parallel()
	receiver := delivertest.NewReceiver(t)
	port := receiver.URL[strings.LastIndexByte(receiver.URL, ':')+1:]
	config := receiver.Config
	config.Allow = nil
	client := newClient(t, config, always("127.0.0.1", "::1").resolver())
	client.SetTotal(5 * time.Second)

	var all []string
	for _, host := range forbidden() {
		all = append(all, "https://"+host+":"+port+"/hook")
	}
	all = append(all, malformed("127.0.0.1", port)...)
	if len(all) < 120 {
		t.Fatalf("%d addresses, want at least 120", len(all))
	}
	for _, address := range all {
		_, err := client.Do(t.Context(), deliver.Request{Method: "POST", URL: address})
		checked := client.CheckAddress(t.Context(), address)
		for _, err := range []error{err, checked} {
			if !errors.Is(err, deliver.ErrForbidden) && !errors.Is(err, deliver.ErrMalformed) &&
				!errors.Is(err, deliver.ErrNotHTTPS) {
				t.Errorf("%.80q: %v, want a refusal", address, err)
			}
		}
	}
	if got := receiver.Connections(); got != 0 {
		t.Errorf("the listener saw %d connections, want 0", got)
	}
}

func TestAddressForms(t *testing.T) {
	t.Parallel()
	good := []string{
		"https://example.com", "https://example.com/", "HTTPS://EXAMPLE.com/a?b=c&d", "https://example.com:8443/x",
		"https://a-b.example.com./", "https://xn--bcher-kva.example/", "https://93.184.216.34/",
		"https://[2606:2800:220:1::1]:443/x", "https://_hook.example/", "https://1.example/",
		"https://123.456.example/%2e%2e/", "https://example.com:65535/",
	}
	for _, address := range good {
		if _, err := deliver.ParseAddress(address); err != nil {
			t.Errorf("ParseAddress(%q) = %v, want nil", address, err)
		}
	}
	for _, address := range malformed("example.com", "443") {
		if u, err := deliver.ParseAddress(address); err == nil {
			t.Errorf("ParseAddress(%q) = %v, want an error", address, u)
		}
	}
	t.Run("an error does not repeat a secret", func(t *testing.T) {
		t.Parallel()
		for _, address := range []string{"https://u:hunter2@example.com/", "https://example.com/%zz?token=hunter2",
			"http://example.com/?t=hunter2"} {
			if _, err := deliver.ParseAddress(address); err == nil || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("ParseAddress(%q) = %v", address, err)
			}
		}
	})
}

// The name is fine when it is checked and leads to loopback a moment later: the guard looks at the connection.
func TestRebinding(t *testing.T) {
	t.Parallel()
	authority := delivertest.NewAuthority(t)
	first, second := samePort(t, "127.0.0.5", "127.0.0.1")
	allowed := delivertest.Serve(t, authority, first, tlsConfig(authority.Issue(t)))
	victim := delivertest.Serve(t, authority, second, tlsConfig(authority.Issue(t)))
	port := allowed.URL[strings.LastIndexByte(allowed.URL, ':')+1:]
	config := allowed.Config
	config.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.5/32")}
	server := &names{answer: func(asked int) []netip.Addr {
		if asked == 1 {
			return []netip.Addr{netip.MustParseAddr("127.0.0.5")}
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}
	}}
	client := newClient(t, config, server.resolver())
	address := "https://receiver.test:" + port + "/hook"
	if err := client.CheckAddress(t.Context(), address); err != nil {
		t.Fatalf("CheckAddress = %v, want nil for the first answer", err)
	}
	if _, err := client.Do(t.Context(), deliver.Request{Method: "POST", URL: address}); !errors.Is(err,
		deliver.ErrForbidden) {
		t.Errorf("Do = %v, want ErrForbidden for the second answer", err)
	}
	if got := victim.Connections(); got != 0 {
		t.Errorf("the second address saw %d connections, want 0", got)
	}
}

// samePort takes one port of two addresses. What is free of the first may be taken of the second.
func samePort(t *testing.T, one, other string) (first, second net.Listener) {
	t.Helper()
	for range 100 {
		first, err := net.Listen("tcp", net.JoinHostPort(one, "0"))
		if err != nil {
			t.Fatal(err)
		}
		port := strconv.Itoa(first.Addr().(*net.TCPAddr).Port)
		second, err := net.Listen("tcp", net.JoinHostPort(other, port))
		if err == nil {
			return first, second
		}
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatalf("%s and %s have no free port in common", one, other)
	return nil, nil
}

// One forbidden answer among others is left out; the others are used.
func TestMixedAnswers(t *testing.T) {
	t.Parallel()
	authority := delivertest.NewAuthority(t)
	receiver := delivertest.Start(t, authority, "127.0.0.5:0", tlsConfig(authority.Issue(t)))
	port := receiver.URL[strings.LastIndexByte(receiver.URL, ':')+1:]
	config := receiver.Config
	config.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.5/32")}
	client := newClient(t, config, always("10.0.0.1", "127.0.0.5").resolver())
	response, err := client.Do(t.Context(), deliver.Request{Method: "POST", URL: "https://receiver.test:" + port + "/"})
	if err != nil || response.Status != 204 {
		t.Errorf("Do = %d, %v, want 204", response.Status, err)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name, want string
		config     deliver.Config
	}{
		{"default", "", deliver.Config{}},
		{"ranges", "",
			deliver.Config{Allow: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}}},
		{"host bits", "10.0.0.0/8", deliver.Config{Allow: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/8")}}},
		{"mapped", "as an IPv4 range", deliver.Config{Allow: []netip.Prefix{netip.MustParsePrefix("::ffff:10.0.0.0/104")}}},
		{"empty range", "empty range", deliver.Config{Allow: make([]netip.Prefix, 1)}},
		{"no such file", "trusted_ca_file", deliver.Config{TrustedCAFile: "none.pem"}},
		{"no certificate", "no certificate", deliver.Config{TrustedCAFile: "doc.go"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			err := row.config.Validate()
			if row.want == "" && err != nil {
				t.Errorf("Validate = %v, want nil", err)
			}
			if row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
				t.Errorf("Validate = %v, want an error about %s", err, row.want)
			}
		})
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, host := range forbidden() {
		fuzztest.Strings(f, "https://"+host+"/")
	}
	f.Fuzz(func(t *testing.T, address string) {
		u, err := deliver.ParseAddress(address)
		if err != nil {
			return
		}
		if u.Scheme != "https" || u.User != nil || u.Hostname() == "" || strings.ContainsAny(u.Host, "%@\\ ") {
			t.Errorf("ParseAddress(%q) lets %+v pass", address, u)
		}
	})
}
