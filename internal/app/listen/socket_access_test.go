package listen_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"stoa.dev/stoa/internal/app/listen"
)

func TestSocketAccess(t *testing.T) {
	t.Parallel()
	c := listen.DefaultConfig()
	c.KMSMode, c.KMSGroup = "0660", strconv.Itoa(os.Getgid())
	access, err := c.KMSAccess()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "s")
	l, err := listen.SocketFor(path, access)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o660 {
		t.Errorf("mode %o, want 660", got)
	}
	if got := info.Sys().(*syscall.Stat_t).Gid; int(got) != os.Getgid() {
		t.Errorf("group %d, want %d", got, os.Getgid())
	}
	access.Group = "no such group"
	if _, err := listen.SocketFor(filepath.Join(t.TempDir(), "s"), access); err == nil ||
		!strings.Contains(err.Error(), "listen.kms_group") {
		t.Errorf("an unknown group: %v", err)
	}
}

func TestSocketModes(t *testing.T) {
	t.Parallel()
	for mode, good := range map[string]bool{
		"": true, "0600": true, "600": true, "0660": true, "0770": true,
		"0666": false, "0604": false, "0400": false, "01600": false, "rw": false, "0680": false,
	} {
		c := listen.DefaultConfig()
		c.KMSMode = mode
		if err := c.Validate(); (err == nil) != good {
			t.Errorf("%q: %v, want valid %t", mode, err, good)
		}
	}
}
