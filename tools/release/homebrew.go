package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// writeFormula writes the Homebrew formula of the archives that there are. Where the
// release is published is the publisher's: HOMEBREW_STOA_RELEASES at installation.
func (r release) writeFormula() error {
	var b strings.Builder
	fmt.Fprintf(&b, `class Stoa < Formula
  desc "API services in one program, for tests and closed networks"
  version "%s"
  license "Apache-2.0"
  releases = ENV.fetch("HOMEBREW_STOA_RELEASES") { odie "set HOMEBREW_STOA_RELEASES to where the archives lie" }
`, r.version)
	for _, system := range []struct{ os, block string }{{"darwin", "on_macos"}, {"linux", "on_linux"}} {
		fmt.Fprintf(&b, "  %s do\n", system.block)
		for _, arch := range []struct{ arch, block string }{{"arm64", "on_arm"}, {"amd64", "on_intel"}} {
			name := fmt.Sprintf("stoa_%s_%s_%s.tar.gz", r.version, system.os, arch.arch)
			text, err := os.ReadFile(filepath.Join(r.out, name))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "    %s do\n      url \"#{releases}/%s\"\n      sha256 \"%x\"\n    end\n",
				arch.block, name, sha256.Sum256(text))
		}
		b.WriteString("  end\n")
	}
	b.WriteString(`
  def install
    bin.install "stoa"
    man1.install "share/stoa.1"
    bash_completion.install "share/stoa.bash" => "stoa"
    zsh_completion.install "share/_stoa"
    fish_completion.install "share/stoa.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/stoa version")
  end
end
`)
	return os.WriteFile(filepath.Join(r.out, "stoa.rb"), []byte(b.String()), 0o644) //nolint:gosec // it is published
}
