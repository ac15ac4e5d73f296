package kubernetes

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"
)

// kubeconfig is what we use of the file.
type kubeconfig struct {
	CurrentContext string `yaml:"current-context"`
	Contexts       []struct {
		Name    string `yaml:"name"`
		Context struct {
			Cluster string `yaml:"cluster"`
			User    string `yaml:"user"`
		} `yaml:"context"`
	} `yaml:"contexts"`
	Clusters []struct {
		Name    string  `yaml:"name"`
		Cluster cluster `yaml:"cluster"`
	} `yaml:"clusters"`
	Users []struct {
		Name string `yaml:"name"`
		User user   `yaml:"user"`
	} `yaml:"users"`
}

type cluster struct {
	Server        string `yaml:"server"`
	Authority     string `yaml:"certificate-authority"`
	AuthorityData string `yaml:"certificate-authority-data"`
	ServerName    string `yaml:"tls-server-name"`
	Insecure      bool   `yaml:"insecure-skip-tls-verify"`
	Proxy         string `yaml:"proxy-url"`
}

type user struct {
	Token           string `yaml:"token"`
	TokenFile       string `yaml:"tokenFile"`
	Certificate     string `yaml:"client-certificate"`
	CertificateData string `yaml:"client-certificate-data"`
	Key             string `yaml:"client-key"`
	KeyData         string `yaml:"client-key-data"`
	Exec            any    `yaml:"exec"`
	Provider        any    `yaml:"auth-provider"`
	Username        string `yaml:"username"`
}

// readKubeconfig finds the cluster and the user of a context. Relative paths are below dir.
func readKubeconfig(content []byte, name, dir string) (*connection, error) {
	var file kubeconfig
	if err := yaml.Unmarshal(content, &file); err != nil {
		return nil, errors.New("it is not a kubeconfig: " + strings.SplitN(err.Error(), "\n", 2)[0])
	}
	name = cmp.Or(name, file.CurrentContext)
	for _, c := range file.Contexts {
		if c.Name != name {
			continue
		}
		made := &connection{}
		for _, row := range file.Clusters {
			if row.Name == c.Context.Cluster {
				if err := made.useCluster(row.Cluster, dir); err != nil {
					return nil, err
				}
			}
		}
		for _, row := range file.Users {
			if row.Name == c.Context.User {
				if err := made.useUser(row.User, dir); err != nil {
					return nil, err
				}
			}
		}
		if made.server == nil {
			return nil, fmt.Errorf("context %q names cluster %q, which is not in the file", name, c.Context.Cluster)
		}
		return made, nil
	}
	return nil, fmt.Errorf("there is no context %q", name)
}

func (c *connection) useCluster(from cluster, dir string) (err error) {
	if from.Insecure {
		return errors.New("insecure-skip-tls-verify is refused: name the authority")
	}
	if from.Proxy != "" {
		return errors.New("proxy-url is not supported")
	}
	server, err := url.Parse(from.Server)
	if err != nil || server.Scheme != "https" || server.Host == "" {
		return fmt.Errorf("server %q is not an https address", from.Server)
	}
	authority, err := content(from.AuthorityData, from.Authority, dir)
	if err != nil {
		return fmt.Errorf("certificate-authority: %w", err)
	}
	settings := &tls.Config{MinVersion: tls.VersionTLS12}
	if authority != nil {
		if settings, err = pool(authority); err != nil {
			return err
		}
	}
	settings.ServerName = from.ServerName
	c.server, c.tls = server, settings
	return nil
}

func (c *connection) useUser(from user, dir string) error {
	if from.Exec != nil || from.Provider != nil || from.Username != "" {
		return errors.New("exec, auth-provider and username are not supported: use a token, a tokenFile or a client " +
			"certificate")
	}
	c.token = from.Token
	if from.TokenFile != "" {
		c.tokenFile = below(dir, from.TokenFile)
	}
	certificate, err := content(from.CertificateData, from.Certificate, dir)
	if err != nil {
		return fmt.Errorf("client-certificate: %w", err)
	}
	key, err := content(from.KeyData, from.Key, dir)
	if err != nil {
		return fmt.Errorf("client-key: %w", err)
	}
	if certificate == nil || c.tls == nil {
		return nil
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return fmt.Errorf("client-certificate: %w", err)
	}
	c.tls.Certificates = []tls.Certificate{pair}
	return nil
}

// content is what stands in the file, or in the file that it names; nil without either.
func content(data, path, dir string) ([]byte, error) {
	switch {
	case data != "":
		return base64.StdEncoding.DecodeString(data)
	case path != "":
		return os.ReadFile(below(dir, path))
	}
	return nil, nil
}

func below(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

func pool(authority []byte) (*tls.Config, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		return nil, errors.New("the authority is not a certificate")
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}, nil
}
