//go:build !small

package azurekv

import "testing"

func TestSameHost(t *testing.T) {
	t.Parallel()
	const vault = "https://name.vault.azure.net"
	for link, want := range map[string]bool{
		vault + "/keys/k/versions?x":                      true,
		vault + ":443/keys/k/versions?x":                  true,
		"https://NAME.vault.azure.net/keys":               true,
		vault + ":8443/keys":                              false,
		"http://name.vault.azure.net/keys":                false,
		"http://name.vault.azure.net:443/keys":            false,
		vault + ".elsewhere.example/keys":                 false,
		"https://name.vault.azure.net@elsewhere.example/": false,
		"/keys/k/versions":                                false,
		"://":                                             false,
	} {
		if got := sameHost(link, vault); got != want {
			t.Errorf("%s: %v, want %v", link, got, want)
		}
	}
}
