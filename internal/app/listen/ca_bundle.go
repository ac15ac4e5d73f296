package listen

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// BundleName is the file beside the local authority's certificate that holds
// it and the machine's own roots. Variables such as SSL_CERT_FILE replace the
// roots of a program, and the world outside has to stay reachable.
const BundleName = "ca-bundle.pem"

// rootFiles are where systems keep their roots, the first that exists counts.
func rootFiles() []string {
	return []string{
		"/etc/ssl/certs/ca-certificates.crt",
		"/etc/pki/tls/certs/ca-bundle.crt",
		"/etc/ssl/ca-bundle.pem",
		"/etc/ssl/cert.pem",
	}
}

// WriteBundle writes the bundle beside the authority's certificate. It is done at
// every start, because the machine's roots change.
func WriteBundle(caFile string) error {
	own, err := os.ReadFile(caFile)
	if err != nil {
		return err
	}
	var bundle bytes.Buffer
	for _, file := range rootFiles() {
		if roots, err := os.ReadFile(file); err == nil {
			bundle.Write(roots)
			break
		}
	}
	if bundle.Len() > 0 && !bytes.HasSuffix(bundle.Bytes(), []byte("\n")) {
		bundle.WriteByte('\n')
	}
	bundle.Write(own)
	path := filepath.Join(filepath.Dir(caFile), BundleName)
	if err := os.WriteFile(path+".new", bundle.Bytes(), 0o644); err != nil { //nolint:gosec // certificates are public
		return fmt.Errorf("root certificates: %w", err)
	}
	return os.Rename(path+".new", path)
}
