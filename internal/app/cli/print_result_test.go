package cli

import (
	"strings"
	"testing"
)

func TestPrintText(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ in, want string }{
		"columns of all rows": {
			`{"keys":[{"id":"a","state":"current"},{"id":"b","state":"destroyed","destroyed":"2026"}]}`,
			"ID  STATE      DESTROYED\na   current    \nb   destroyed  2026\n",
		},
		"members in another order": {`[{"a":1,"b":2},{"b":3,"a":4}]`, "A  B\n1  2\n4  3\n"},
		"an empty list":            {`{"deliveries":[]}`, "no deliveries\n"},
		"yes and no":               {`[{"here":true,"name":"true"},{"here":false,"name":"x"}]`, "HERE  NAME\nyes   true\nno    x\n"},
		"sizes":                    {`[{"bytes":98123456},{"bytes":12},{"bytes":1540}]`, "BYTES\n98 MB\n12\n1.5 kB\n"},
		"words in a list":          {`{"name":"x","scopes":["a","b"]}`, "name    x\nscopes  a b\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got strings.Builder
			if err := (look{}).write(&got, []byte(row.in)); err != nil || got.String() != row.want {
				t.Errorf("got %q, %v; want %q", got.String(), err, row.want)
			}
		})
	}
}
