package stoatest

import "testing"

func TestVersions(t *testing.T) {
	t.Parallel()
	for other, refused := range map[string]bool{
		Version: false, "v1.0.9": false, "development": false, "": false, "0a1b2c3d-dirty": false,
		"v0.9.0-12-g0a1b2c3": false, "v2.0.0-dirty": false, "2.0": false,
		"v2.0.0": true, "1.1.0": true,
	} {
		if err := checkVersion(other); (err != nil) != refused {
			t.Errorf("%s: %v", other, err)
		}
	}
}
