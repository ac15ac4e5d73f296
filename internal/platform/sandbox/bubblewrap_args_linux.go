package sandbox

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// systemFolders are where programs and their libraries are. On most systems
// all but the first are links into it.
func systemFolders() []string {
	return []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}
}

// settings are the files of /etc that programs do not work without. None of
// them holds a secret or names a user.
func settings() []string {
	return []string{
		"alternatives", "ca-certificates", "ca-certificates.conf", "crypto-policies", "debian_version",
		"environment.d", "fonts",
		"ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "magic", "mime.types", "nsswitch.conf", "os-release",
		"pki/ca-trust", "pki/java", "pki/tls/cert.pem", "pki/tls/certs", "pki/tls/openssl.cnf", "protocols", "services",
		"ssl/cert.pem", "ssl/certs", "ssl/openssl.cnf", "terminfo", "timezone",
	}
}

// arguments is what bubblewrap is told, in the order in which it does it.
// data turns bytes into a descriptor number for it.
func (s *Sandbox) arguments(spec Spec, data func(name string, b []byte) (string, error)) ([]string, error) {
	args := []string{
		"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--disable-userns",
		"--uid", strconv.Itoa(insideID), "--gid", strconv.Itoa(insideID), "--hostname", "sandbox",
		"--new-session", "--die-with-parent", "--clearenv",
	}
	if !spec.Network {
		args = append(args, "--unshare-net")
	}
	for _, v := range spec.variables() {
		name, value, _ := strings.Cut(v, "=")
		args = append(args, "--setenv", name, value)
	}
	args = append(args, system(spec.Network)...)
	for _, f := range [][2]string{
		{"passwd", "root:x:0:0::/:/sbin/nologin\nstoa:x:1000:1000::" + spec.Home +
			":/bin/sh\nnobody:x:65534:65534::/:/sbin/nologin\n"},
		{"group", "root:x:0:\nstoa:x:1000:\nnogroup:x:65534:\n"},
		{"hosts", "127.0.0.1 localhost sandbox\n::1 localhost\n"},
	} {
		fd, err := data(f[0], []byte(f[1]))
		if err != nil {
			return nil, err
		}
		args = append(args, "--perms", "0444", "--file", fd, "/etc/"+f[0])
	}
	// Files in memory are memory.
	size := strconv.FormatInt(min(spec.Temporary, spec.Memory), 10)
	args = append(args,
		"--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", size, "--tmpfs", "/dev/shm",
		"--perms", "1777", "--size", size, "--tmpfs", "/tmp", "--dir", "/var", "--symlink", "../tmp", "/var/tmp",
		"--dir", "/run")
	for _, dir := range append(toolchains(), s.config.ReadOnly...) {
		args = append(args, "--ro-bind-try", dir, dir)
	}
	args = append(args, "--bind", spec.Dir, spec.Home)
	for _, m := range spec.ReadOnly {
		args = append(args, "--ro-bind", m.Host, m.Inside)
	}
	// The root and /dev are memory of the sandbox's own and would be writable.
	return append(args, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", spec.Work), nil
}

// insideID is the user and group a program believes to be.
const insideID = 1000

// system shows the programs of the host and the settings they need.
func system(network bool) []string {
	var args []string
	for _, dir := range systemFolders() {
		info, err := os.Lstat(dir)
		switch {
		case err != nil:
		case info.Mode()&os.ModeSymlink != 0:
			if to, err := os.Readlink(dir); err == nil {
				args = append(args, "--symlink", to, dir)
			}
		case info.IsDir():
			args = append(args, "--ro-bind", dir, dir)
		}
	}
	args = append(args, "--dir", "/etc")
	for _, name := range settings() {
		args = append(args, bindFile("/etc/"+name)...)
	}
	// Interpreters keep their settings in folders with a version in the name.
	for _, pattern := range []string{"/etc/java-*", "/etc/python3*", "/etc/perl", "/etc/maven"} {
		found, _ := filepath.Glob(pattern) // the pattern is a constant and sound
		for _, dir := range found {
			args = append(args, bindFile(dir)...)
		}
	}
	if network {
		args = append(args, bindFile("/etc/resolv.conf")...)
	}
	return args
}

// bindFile shows what a path leads to, at that path: a link in /etc may point
// to a folder that is not shown.
func bindFile(name string) []string {
	to, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil
	}
	return []string{"--ro-bind-try", to, name}
}

// toolchains are places where the installers of languages put them when they
// do not use /usr. What is not there is not shown.
func toolchains() []string { return []string{"/opt/go", "/opt/node", "/opt/java", "/nix/store"} }
