package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/lab/server"
	"stoa.dev/stoa/internal/platform/authority"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/seal"
)

// certJSON are the files of one certificate.
type certJSON struct {
	Host        string `json:"host"`
	Certificate string `json:"certificate"`
	Key         string `json:"key"`
	CAFile      string `json:"caFile"`
}

func (p *Program) cert() *cobra.Command {
	var out string
	issue := &cobra.Command{
		Use:   "issue HOST...",
		Short: "Write a certificate for a receiver of your own, signed by the authority of the data folder",
		Long: "Write HOST.pem and HOST.key for each host name or address, signed by the authority of a lab\n" +
			"(or of a server with HTTPS), so that its worlds deliver to a receiver there:\n\n" +
			"    stoa cert issue localhost --out certs\n\n" +
			"The certificate is good for two weeks; the authority signs for loopback names and the hosts\n" +
			"that the lab was started with.",
		Args: func(c *cobra.Command, hosts []string) error {
			if len(hosts) == 0 {
				return module.Fail(module.Usage, "see "+c.CommandPath()+" --help", "name a host, such as localhost")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, hosts []string) error { return p.issueCertificates(hosts, out) },
	}
	issue.Flags().StringVar(&out, "out", ".", "`folder` for the files")
	return labGroup("cert", "Make certificates of the local authority", issue)
}

func (p *Program) issueCertificates(hosts []string, out string) error {
	dir, err := p.authorityDir()
	if err != nil {
		return err
	}
	source := ids.Random()
	box, err := seal.Open(dir, "", source)
	if err != nil {
		return err
	}
	a, err := authority.Open(authority.Options{Dir: dir, Box: box, Clock: clock.Real(), IDs: source})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o700); err != nil {
		return err
	}
	made := []certJSON{}
	for _, host := range hosts {
		chain, key, err := a.Issue(host)
		if err != nil {
			return module.Fail(module.Usage, "start the lab with --host to add a name", "%w", err)
		}
		name := strings.NewReplacer(":", "_", "*", "_", string(filepath.Separator), "_").Replace(host)
		c := certJSON{
			Host: host, Certificate: filepath.Join(out, name+".pem"), Key: filepath.Join(out, name+".key"), CAFile: a.File(),
		}
		if err := os.WriteFile(c.Key, key, 0o600); err != nil {
			return err
		}
		if err := os.WriteFile(c.Certificate, chain, 0o644); err != nil {
			return err
		}
		made = append(made, c)
	}
	return p.printValue(map[string]any{"certificates": made})
}

// authorityDir is the folder of the authority: that of the lab in the environment, or
// of the data folder. One without an authority is not given one.
func (p *Program) authorityDir() (string, error) {
	dir := p.data
	if file := p.variable("STOA_CA_FILE"); dir == "" && file != "" {
		dir = filepath.Dir(file)
	}
	if dir == "" {
		dir = defaultLabDir
		if _, err := os.Stat(filepath.Join(dir, server.EnvFile)); err != nil {
			dir = app.DefaultConfig().Data
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "ca.key")); err != nil {
		return "", module.Fail(module.NotFound, "start one with stoa lab, or name its folder with --data",
			"there is no certificate authority: %w", err)
	}
	return dir, nil
}
