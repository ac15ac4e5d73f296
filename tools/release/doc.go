// Command release makes everything that people download, into one folder:
//
//	stoa_VERSION_OS_ARCH.tar.gz (.zip for Windows)   the binary, its manual page, completions, licence
//	stoa_VERSION_ARCH.deb                            the same for Debian, with a systemd service
//	stoa_VERSION_image_ARCH.tar                      an OCI image layout, made without a daemon
//	stoa.rb                                          a Homebrew formula
//	sbom.json                                        a CycloneDX bill of materials
//	checksums.txt, checksums.txt.sig                 SHA-256 of all of them, and an Ed25519 signature over that file
//
// The same sources and version give the same bytes: times are fixed, names sorted.
// RELEASE_KEY names a file with an Ed25519 private key (PKCS 8, PEM, as openssl genpkey
// -algorithm ed25519 makes it); without one nothing is signed, and that is said.
//
// A version is refused whose store is not in test/disk/testdata, where later versions open it: -record-store writes it
// and -recorded looks for it. The store has the migrations of the program, and each version that was tagged has one.
//
// With -try it makes nothing and uses what was made: sums, signature, bill and formula are compared, every archive is
// unpacked, the binary and the image of this system serve, and the Debian package is installed in a clean system,
// upgraded and removed.
package main
