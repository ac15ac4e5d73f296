package deliver_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/deliver/delivertest"
)

// insideNetwork is set in the process that has a network of its own.
const insideNetwork = "STOA_TEST_INSIDE_NETWORK"

// TestNoPacketLeaves: no packet goes to a forbidden address, whether it is written, answered by a name server, answered
// only at the second question, or given by a redirect. The test runs itself in a network of its own, where every
// address is this machine and each packet is seen. A machine without user namespaces fails it.
func TestNoPacketLeaves(t *testing.T) {
	if os.Getenv(insideNetwork) == "" {
		runInsideNetwork(t)
		return
	}
	packets := capture(t)
	authority := delivertest.NewAuthority(t)
	allowed := delivertest.Start(t, authority, "127.0.0.5:0", tlsConfig(authority.Issue(t)))
	port := allowed.URL[strings.LastIndexByte(allowed.URL, ':')+1:]
	config := allowed.Config
	config.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.5/32")}

	callForms(t, config, port)
	packets.expectNone(t, "written forms")
	for _, a := range forbiddenIPs() {
		callNames(t, config, port, a)
	}
	packets.expectNone(t, "names")
	client := newClient(t, config, always("127.0.0.5").resolver())
	for _, a := range forbiddenIPs() {
		for _, status := range []int{301, 302, 303, 307, 308} {
			target := fmt.Sprintf("https://%s/", netip.AddrPortFrom(a, 443))
			allowed.Reply(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, status) })
			if response, err := post(t, client, "https://receiver.test:"+port+"/"); err != nil || response.Status != status {
				t.Errorf("redirect to %s: %d, %v, want %d", target, response.Status, err, status)
			}
		}
	}
	if packets.expectNone(t, "redirects"); allowed.Connections() == 0 {
		t.Error("the receiver saw no connection")
	}
}

// callForms calls every written form of a forbidden address.
func callForms(t *testing.T, config deliver.Config, port string) {
	client := newClient(t, config, always("127.0.0.1", "::1").resolver())
	client.SetTotal(5 * time.Second)
	all := malformed("127.0.0.1", port)
	for _, host := range forbidden() {
		all = append(all, "https://"+host+":"+port+"/hook", "https://"+host+"/hook")
	}
	for _, address := range all {
		if _, err := client.Do(t.Context(), deliver.Request{Method: "POST", URL: address}); err == nil {
			t.Errorf("%.80q: no error, want a refusal", address)
		}
		// What it says of a form is TestForbiddenAddresses' matter; here only that it calls none.
		_ = client.CheckAddress(t.Context(), address)
	}
}

// callNames calls a name that has a forbidden address at once, and one that has it at the second question.
func callNames(t *testing.T, config deliver.Config, port string, a netip.Addr) {
	good := netip.MustParseAddr("127.0.0.5")
	later := &names{answer: func(asked int) []netip.Addr {
		if asked <= 1 {
			return []netip.Addr{good}
		}
		return []netip.Addr{a}
	}}
	address := "https://receiver.test:" + port + "/"
	for name, server := range map[string]*names{"at once": always(a.String()), "later": later} {
		client := newClient(t, config, server.resolver())
		client.SetTotal(5 * time.Second)
		if err := client.CheckAddress(t.Context(), address); name == "later" && err != nil {
			t.Errorf("%s later: %v, want the first answer to be good", a, err)
		}
		if _, err := client.Do(t.Context(), deliver.Request{Method: "POST", URL: address}); err == nil {
			t.Errorf("a name of %s, %s: no error, want a refusal", a, name)
		}
	}
}

// forbiddenIPs are the addresses among the forbidden hosts. One of them is public: only its form is refused.
func forbiddenIPs() (found []netip.Addr) {
	for _, host := range forbidden() {
		a, err := netip.ParseAddr(strings.Trim(host, "[]"))
		if err == nil && a.Zone() == "" && a.Unmap().String() != "8.8.8.8" {
			found = append(found, a)
		}
	}
	return found
}

// runInsideNetwork runs the calling test again in namespaces of its own.
func runInsideNetwork(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("ip"); err != nil {
		t.Fatalf("this machine cannot make the network of this test: %v", err)
	}
	const script = `set -e
		ip link set lo up
		ip route add local default dev lo
		ip -6 route add local default dev lo
		exec "$@"`
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script, "sh", os.Args[0], "-test.v", "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), insideNetwork+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("in a network of its own (which a machine without user namespaces cannot have): %v\n%s", err, out)
	}
	if !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("the test did not run inside:\n%s", out)
	}
	t.Logf("%s", out)
}

// captured sees each packet of the loopback interface, in order.
type captured struct {
	fd     int
	rounds uint16
}

func capture(t *testing.T) *captured {
	t.Helper()
	all := binary.BigEndian.Uint16(binary.NativeEndian.AppendUint16(nil, unix.ETH_P_ALL))
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, int(all))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	// Larger than all packets of a test, so that none is lost between two reads.
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 64<<20); err != nil {
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 64<<20); err != nil {
			t.Fatal(err)
		}
	}
	wait := unix.Timeval{Sec: 20}
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &wait); err != nil {
		t.Fatal(err)
	}
	return &captured{fd: fd}
}

// expectNone reads what came until now: nothing but calls of the allowed address. That it would have seen others is
// shown by one of IPv4 and one of IPv6, which also mark the end.
func (c *captured) expectNone(t *testing.T, of string) {
	t.Helper()
	c.rounds++
	var seen int
	for _, end := range []string{"10.9.8.7", "fd09:8:7::6"} {
		mark := netip.AddrPortFrom(netip.MustParseAddr(end), 40000+c.rounds)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		if conn, err := new(net.Dialer).DialContext(ctx, "tcp", mark.String()); err == nil {
			_ = conn.Close() // no one listens there; if so, the packet was seen all the same
		}
		cancel()
		for found := false; !found; seen++ {
			src, dst := c.next(t)
			if found = dst == mark; found || src == mark || c.isMark(src) || c.isMark(dst) {
				continue
			}
			if good := netip.MustParseAddr("127.0.0.5"); src.Addr() != good && dst.Addr() != good {
				t.Errorf("%s: a packet from %s to %s", of, src, dst)
			}
		}
	}
	t.Logf("%s: %d packets seen", of, seen)
}

// isMark tells what the test itself sent, and its refusals.
func (c *captured) isMark(a netip.AddrPort) bool {
	return a.Port() > 40000 && a.Port() <= 40000+c.rounds
}

// next is where the next packet comes from and goes to; of one that is not TCP the ports mean nothing.
func (c *captured) next(t *testing.T) (src, dst netip.AddrPort) {
	t.Helper()
	p := make([]byte, 128)
	n, err := unix.Read(c.fd, p)
	if err != nil {
		t.Fatalf("the packets that mark the end were not seen: %v", err)
	}
	var from, to netip.Addr
	var rest []byte
	switch {
	case n >= 40 && p[0]>>4 == 4:
		from, to, rest = netip.AddrFrom4([4]byte(p[12:16])), netip.AddrFrom4([4]byte(p[16:20])), p[4*int(p[0]&15):n]
	case n >= 60 && p[0]>>4 == 6:
		from, to, rest = netip.AddrFrom16([16]byte(p[8:24])), netip.AddrFrom16([16]byte(p[24:40])), p[40:n]
	default:
		t.Fatalf("a packet of another kind: % x", p[:n])
	}
	ports := binary.BigEndian.Uint32(rest)
	return netip.AddrPortFrom(from, uint16(ports>>16)), netip.AddrPortFrom(to, uint16(ports))
}
