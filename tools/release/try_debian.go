package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// life is what happens to the package in a clean system: installed, used, upgraded, used, removed and purged. What an
// administrator wrote and the data stay as long as they should.
const life = `set -eu
mount -t proc proc /proc
dpkg -i /trial/first.deb
stoa version
systemd-analyze verify --man=no /usr/lib/systemd/system/stoa.service
echo '# mine' >>/etc/stoa/stoa.yaml
serve() { stoa start --wait --config /etc/stoa/stoa.yaml --listen 127.0.0.1:0; }
serve
stoa --data /var/lib/stoa user add ada
stoa --data /var/lib/stoa stop
dpkg -i /trial/second.deb
grep -q '# mine' /etc/stoa/stoa.yaml
serve
stoa --data /var/lib/stoa user show ada
stoa --data /var/lib/stoa stop
dpkg -r stoa
test ! -e /usr/bin/stoa
test -e /etc/stoa/stoa.yaml
test -e /var/lib/stoa/stoa.db
dpkg -P stoa
test ! -e /etc/stoa/stoa.yaml
test -e /var/lib/stoa/stoa.db
echo "the package was installed, upgraded, removed and purged"
`

// debianPackage has the package live in a clean system.
func (t trial) debianPackage() (said string, err error) {
	if t.system == "" {
		return "not looked at: -system names no clean Debian", nil
	}
	for _, system := range t.targets {
		if system.os != "linux" || !system.here() {
			continue
		}
		folder := filepath.Join(t.system, "trial")
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return "", err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
		first, err := t.read(fmt.Sprintf("stoa_%s_%s.deb", t.version, system.arch))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(folder, "first.deb"), first, 0o644); err != nil { //nolint:gosec // to be read
			return "", err
		}
		if err := t.next(system, filepath.Join(folder, "second.deb")); err != nil {
			return "", err
		}
		// What is mounted or started there ends with the script.
		c := exec.Command("unshare", "--mount", "--pid", "--fork", "chroot", t.system, "/bin/sh", "-c", life)
		c.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C"}
		out, err := c.CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("%w:\n%s", err, out)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return lines[len(lines)-1], nil
	}
	return "not looked at: there is none for this system", nil
}

// next makes the package of the version after, of the same files.
func (t trial) next(system target, path string) (err error) {
	out, err := os.MkdirTemp("", "stoa-next-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(out)) }()
	after := release{version: t.version + "+next", out: out, root: t.root}
	files, err := after.contents(system, filepath.Join(t.out, "build", system.os+"_"+system.arch, system.binary()))
	if err != nil {
		return err
	}
	if err := after.writePackage(system, files); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(out, fmt.Sprintf("stoa_%s_%s.deb", after.version, system.arch)))
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644) //nolint:gosec // it is read in the system
}
