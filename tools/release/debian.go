package main

import (
	"bytes"
	"crypto/md5" //nolint:gosec // the format of md5sums
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const control = `Package: stoa
Version: %s
Section: net
Priority: optional
Architecture: %s
Maintainer: Stoa <stoa@stoa.dev>
Installed-Size: %d
Recommends: git, ca-certificates
Description: API services in one program, for tests and closed networks
 Serves task lists, calendars, articles, pipelines, activity feeds, metric graphs,
 packages, key management and generative content, offline and durably.
`

// The scripts of the package: the service is not started by itself, because the first
// start prints a password that somebody should read.
const (
	postinst = "#!/bin/sh\nset -e\nif [ -d /run/systemd/system ]; then systemctl daemon-reload; " +
		"systemctl try-restart stoa.service; fi\n"
	prerm = "#!/bin/sh\nset -e\nif [ \"$1\" = remove ] && [ -d /run/systemd/system ]; then " +
		"systemctl stop stoa.service; fi\n"
)

// writePackage writes the Debian package: an ar archive of a version, the control
// files and the data.
func (r release) writePackage(t target, files []file) error {
	data := []file{
		{"./usr/bin/stoa", 0o755, find(files, "stoa").text},
		{"./usr/lib/systemd/system/stoa.service", 0o644, find(files, "share/stoa.service").text},
		{"./etc/stoa/stoa.yaml", 0o600, find(files, "share/stoa.yaml").text},
		{"./usr/share/bash-completion/completions/stoa", 0o644, find(files, "share/stoa.bash").text},
		{"./usr/share/zsh/vendor-completions/_stoa", 0o644, find(files, "share/_stoa").text},
		{"./usr/share/fish/vendor_completions.d/stoa.fish", 0o644, find(files, "share/stoa.fish").text},
		{"./usr/share/doc/stoa/copyright", 0o644, find(files, "LICENSE").text},
	}
	manual, err := compressed(find(files, "share/stoa.1").text)
	if err != nil {
		return err
	}
	data = append(data, file{"./usr/share/man/man1/stoa.1.gz", 0o644, manual})
	size := 0
	var sums strings.Builder
	for _, f := range data {
		size += len(f.text)
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.text), strings.TrimPrefix(f.name, "./")) //nolint:gosec // see above
	}
	scripts := []file{
		{"./control", 0o644, fmt.Appendf(nil, control, debianVersion(r.version), t.arch, size/1024+1)},
		{"./conffiles", 0o644, []byte("/etc/stoa/stoa.yaml\n")},
		{"./md5sums", 0o644, []byte(sums.String())},
		{"./postinst", 0o755, []byte(postinst)},
		{"./prerm", 0o755, []byte(prerm)},
	}
	text, err := debian(scripts, data)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("stoa_%s_%s.deb", r.version, t.arch)
	return os.WriteFile(filepath.Join(r.out, name), text, 0o644) //nolint:gosec // it is published
}

func debian(scripts, data []file) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("!<arch>\n")
	member(&out, "debian-binary", []byte("2.0\n"))
	for _, part := range []struct {
		name  string
		files []file
	}{{"control.tar.gz", scripts}, {"data.tar.gz", data}} {
		text, err := tarred(part.files, 0)
		if err != nil {
			return nil, err
		}
		if text, err = compressed(text); err != nil {
			return nil, err
		}
		member(&out, part.name, text)
	}
	return out.Bytes(), nil
}

// member appends one file to an ar archive.
func member(out *bytes.Buffer, name string, text []byte) {
	fmt.Fprintf(out, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", name, fixed().Unix(), 0, 0, "100644", len(text))
	out.Write(text)
	if len(text)%2 == 1 {
		out.WriteByte('\n')
	}
}
