package lab_test

import (
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/lab"
)

func TestOwnHost(t *testing.T) {
	t.Parallel()
	labs := map[string]*lab.Lab{}
	for _, host := range []string{"127.0.0.1", "0.0.0.0"} { // without a world nothing is listened on
		l, err := lab.Open(t.Context(), lab.Options{
			Dir: t.TempDir(), Config: app.DefaultConfig(), Host: host, Hosts: []string{"lab.example"},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		}()
		labs[host] = l
	}
	for _, row := range []struct {
		name, host    string
		local, beyond bool // listening on loopback, and on every address
	}{
		{"loopback", "127.0.0.1:8080", true, true},
		{"loopback of six", "[::1]:8080", true, true},
		{"localhost", "localhost:8080", true, true},
		{"a team", "lyceum.localhost", true, true},
		{"capitals", "LocalHost:8080", true, true},
		{"a given name", "lab.example:8080", true, true},
		{"below a given name", "lyceum.lab.example", true, true},
		{"an address", "192.0.2.7:8080", false, true},
		{"a name without a dot", "stoa:8080", false, true},
		{"another site", "evil.example:8080", false, false},
		{"a look-alike", "lab.example.evil.test", false, false},
		{"another look-alike", "evillab.example", false, false},
		{"no port", "localhost:x", false, false},
		{"what is not a name", `a"b.localhost`, false, false},
		{"a zone", "[fe80::1%25eth0]:80", false, false},
		{"nothing", "", false, false},
	} {
		for host, want := range map[string]bool{"127.0.0.1": row.local, "0.0.0.0": row.beyond} {
			if got := labs[host].OwnHost(row.host); got != want {
				t.Errorf("%s, listening on %s: %t, want %t", row.name, host, got, want)
			}
		}
	}
}
